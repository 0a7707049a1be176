import type { CardMessenger } from '../../platforms/ports/card-messenger.ts';
import {
  serializeAction,
  type CardControl,
  type TurnOutcome,
  type PromptMessage,
  type TurnRef,
} from '../../domain/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { isFreeFailure } from '../../billing/metered-stream.ts';
import { type QueueDelivery, type WorkerContext, SUGGEST_TOKENS } from '../../context/ports.ts';
import { LimitedRequest } from '../model/rate-limited-request.ts';
import { permitHolder } from '../model/wait-for-permit.ts';
import { errorName } from '../../utils/error-name.ts';

/** How many questions are offered. */
const MAX = 3;
/** The next question of the thread waits behind this, so it may not take long. */
const TIMEOUT_MS = 10_000;
/** An answer that does not fit the schema is asked for once more: see `requestStructured`. */
const MAX_SUGGEST_REQUESTS = 2;
/** Of question and answer, what the model is shown. */
const MAX_SHOWN = 4_000;

const SUGGEST_PROMPT =
  'Suggest up to three short questions, of at most eight words each, that the person may ask next, in the language of the conversation.';

/** An answer below which questions may be offered. `fence`: of the claim under which it was made. */
export type AnsweredTurn = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly ending: TurnOutcome;
  readonly fence: number;
};

export type FollowUpContext = Pick<
  WorkerContext,
  'chat' | 'permits' | 'breakers' | 'budgets' | 'metrics' | 'settings' | 'time' | 'log'
> & {
  readonly messenger: Pick<CardMessenger, 'postCard'>;
  readonly turns: Pick<WorkerContext['turns'], 'saveFollowUps'>;
};

/**
 * Offers questions that may be asked next, as buttons on a card below a whole answer, if a model is set for making them up.
 * The card is written to the turn, so that it can be removed: see `deleteFollowUps`. Not vital: what fails is logged, and
 * the answer stands as it is. Never rejects.
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
  // Nobody waits for them: whoever does comes first.
  const ask = { ...permitHolder(turn.thread, turn.asker), priority: 'background' } as const;
  const request = new LimitedRequest({ context, delivery: { ...delivery, deadline }, signal, ask });
  const prompt: readonly PromptMessage[] = [
    { role: 'system', content: SUGGEST_PROMPT },
    {
      role: 'user',
      content: `${question.slice(0, MAX_SHOWN)}\n\n---\n\n${ending.text.slice(0, MAX_SHOWN)}`,
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
    const controls = distinctFrom(question, questions).flatMap(buttonFor).slice(0, MAX);
    if (controls.length === 0) return;
    const note = { kind: 'note' as const, markdown: localize(locale, 'answers.follow-ups') };
    const card = { parts: [note, { kind: 'controls' as const, controls }] };
    // Another attempt has another fence.
    const key = `follow-ups-${turn.message}-${fence}`;
    const shown = await stage.postCard(turn.thread, card, key, undefined, { isNew: true });
    await context.turns.saveFollowUps(turn, shown);
  } catch (error) {
    context.log('follow-ups.failed', { error: errorName(error) });
  } finally {
    await request.end();
  }
}

/** Each question once, and none that says the same as the one that was just asked. */
function distinctFrom(asked: string, questions: readonly string[]): string[] {
  const known = new Set([normalised(asked)]);
  return questions.filter((question) => {
    const same = known.has(normalised(question));
    known.add(normalised(question));
    return !same;
  });
}

/** A question without what makes no difference: case, width, spacing, quotation marks, punctuation at its ends. */
const normalised = (question: string): string =>
  question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/["'`\p{Pi}\p{Pf}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '');

/** The question is in the button; one that is too long for that is not offered. */
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
