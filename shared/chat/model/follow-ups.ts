import type { ChatContext } from '../context.ts';
import type { CardMessenger } from '../../platforms/ports/card-messenger.ts';
import {
  serializeAction,
  type CardControl,
  type TurnOutcome,
  type PromptMessage,
  type TurnRef,
} from '../../domain/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { isFreeFailure } from '../../billing/index.ts';
import type { QueueDelivery } from '../../context/index.ts';
import { SUGGEST_TOKENS } from '../../ports/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { failureFacts } from '../display/error-messages.ts';
import { LimitedRequest } from './rate-limited-request.ts';
import { permitHolder } from './wait-for-permit.ts';
import { errorName } from '../../utils/error-name.ts';

const MAX_FOLLOW_UPS = 3;
/** Short, since the next question of the thread waits behind this. */
const TIMEOUT_MS = 10_000;
/** A response that does not match the schema is requested once more: see `requestStructured`. */
const MAX_SUGGEST_REQUESTS = 2;
/** The characters of question and answer that the model gets. */
const MAX_PROMPT_CHARS = 4_000;

const SUGGEST_PROMPT =
  'Suggest up to three short questions, of at most eight words each, that the person may ask next, in the language of the conversation.';

/** An answer below which questions may be offered. `fence`: of its claim. */
export type AnsweredTurn = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly ending: TurnOutcome;
  readonly fence: number;
};

export type FollowUpContext = Pick<
  ChatContext,
  'chat' | 'permits' | 'breakers' | 'budgets' | 'metrics' | 'settings' | 'time' | 'log'
> & {
  readonly messenger: Pick<CardMessenger, 'postCard'>;
  readonly turns: Pick<ChatContext['turns'], 'saveFollowUps'>;
};

/**
 * Suggests next questions as buttons on a card below a complete answer, if a model is configured for it. Stores the card's id in
 * the turn, so that `deleteFollowUps` can remove it. Logs failures. Never rejects.
 */
export async function offerFollowUps(
  { turn, question, ending, fence }: AnsweredTurn,
  context: FollowUpContext,
  delivery: QueueDelivery,
  locale: Locale,
): Promise<void> {
  const { chat, messenger: stage, settings, time } = context;
  const wanted = resolve('suggestions', settings.layers).value;
  const ownModel = wanted === true ? chat.model : undefined;
  const model = wanted === false ? undefined : (settings.followUpModel ?? ownModel);
  if (!model || !chat.suggest || ending.kind !== 'answered' || ending.finish !== 'stop') return;
  const deadline = Math.min(delivery.deadline, time.now() + TIMEOUT_MS);
  const { signal } = new AbortController();
  // Nobody waits for suggestions: other requests go first.
  const ask = { ...permitHolder(turn.thread, turn.asker), priority: 'background' } as const;
  const request = new LimitedRequest({ context, delivery: { ...delivery, deadline }, signal, ask });
  const prompt: readonly PromptMessage[] = [
    { role: 'system', content: SUGGEST_PROMPT },
    {
      role: 'user',
      content: `${question.slice(0, MAX_PROMPT_CHARS)}\n\n---\n\n${ending.text.slice(0, MAX_PROMPT_CHARS)}`,
    },
  ];
  try {
    const call = { id: `${turn.message}.next`, thread: turn.thread, person: turn.asker, model, prompt };
    const hold = await context.budgets.reserve({
      ...call,
      maxTokens: SUGGEST_TOKENS,
      requests: MAX_SUGGEST_REQUESTS,
    });
    const options = { ...request.options, model, maxTokens: SUGGEST_TOKENS, signal, deadline };
    const { questions, usage } = await chat.suggest(prompt, options).catch(async (error: unknown) => {
      await (isFreeFailure(error) || !request.sent ? hold.release() : hold.settle(model, undefined, ''));
      throw error;
    });
    await hold.settle(model, usage, questions.join(' '));
    const controls = distinctFrom(question, questions).flatMap(buttonFor).slice(0, MAX_FOLLOW_UPS);
    if (controls.length === 0) return;
    const note = { kind: 'note' as const, markdown: localize(locale, 'answers.follow-ups') };
    const card = { parts: [note, { kind: 'controls' as const, controls }] };
    // Each attempt has another fence.
    const key = `follow-ups-${turn.message}-${fence}`;
    const shown = await stage.postCard(turn.thread, card, key, undefined, { isNew: true });
    await context.turns.saveFollowUps(turn, shown);
  } catch (error) {
    context.log('follow-ups.failed', { error: errorName(error), ...failureFacts(error) });
  } finally {
    await request.end();
  }
}

/** Each question once, without those that repeat the asked one. */
function distinctFrom(asked: string, questions: readonly string[]): string[] {
  const known = new Set([normalized(asked)]);
  return questions.filter((question) => {
    const same = known.has(normalized(question));
    known.add(normalized(question));
    return !same;
  });
}

/** A question without differences in case, width, spacing, quotation marks, and punctuation at its ends. */
const normalized = (question: string): string =>
  question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/["'`\p{Pi}\p{Pf}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '');

/** A button whose action has the question. A question that is too long for an action is left out. */
function buttonFor(question: string): CardControl[] {
  const label = question.replaceAll(/\s+/gu, ' ').trim();
  const action = { name: 'follow.ask', args: [label] };
  try {
    serializeAction(action);
  } catch {
    return [];
  }
  return label === '' ? [] : [{ kind: 'button', label, action }];
}
