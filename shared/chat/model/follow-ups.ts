import type { ChatContext } from '../context.ts';
import type { CardMessenger } from '../../platforms/ports/index.ts';
import {
  isIntegration,
  serializeAction,
  type Card,
  type CardAction,
  type CardControl,
  type TurnOutcome,
  type PromptMessage,
  type Thread,
  type TurnRef,
  type QueueDelivery,
  type Usage,
} from '../../domain/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { estimateUsage } from '../../billing/index.ts';
import { type SuggestOptions, SUGGEST_TOKENS } from '../../ports/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { addUsage } from '../display/answer-buffer.ts';
import { failureFacts } from '../display/failure-facts.ts';
import { RateLimitedRequest } from './rate-limited-request.ts';
import { toHolder } from './wait-for-permit.ts';
import { errorName } from '../../utils/index.ts';

const MAX_FOLLOW_UPS = 3;
/** Of the request. Short, because the next question of the thread waits for it. */
const TIMEOUT_MS = 10_000;
/** A response that does not match the schema is requested once more: see `requestStructured`. */
const MAX_SUGGEST_REQUESTS = 2;
/** The characters of question and answer that the model gets. */
const MAX_PROMPT_CHARS = 4_000;

const SUGGEST_PROMPT =
  'Suggest up to three short questions, of at most eight words each, that the person may ask next, in the language of the conversation.';

/** A turn with its stored outcome. `fence` is that of its claim. */
export type AnsweredTurn = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly outcome: TurnOutcome;
  readonly fence: number;
};

export type FollowUpContext = Pick<
  ChatContext,
  'chat' | 'permits' | 'breakers' | 'budgets' | 'metrics' | 'settings' | 'time' | 'log'
> & {
  readonly messenger: Pick<CardMessenger, 'canPost' | 'postCard'>;
  readonly turns: Pick<ChatContext['turns'], 'saveFollowUps'>;
};

/**
 * Suggests next questions as buttons on a card below a complete answer, if a model is configured for it. Stores the card's id in
 * the turn, so that `deleteFollowUps` can remove it. Logs failures. Never rejects.
 */
export async function offerFollowUps(
  answered: AnsweredTurn,
  context: FollowUpContext,
  delivery: QueueDelivery,
  locale: Locale,
): Promise<void> {
  const model = suggestionModel(answered, context);
  if (!model) return;
  const { turn, question, outcome } = answered;
  const deadline = Math.min(delivery.deadline, context.time.now() + TIMEOUT_MS);
  const request = new RateLimitedRequest({
    context,
    delivery: { ...delivery, deadline },
    // Only the deadline ends the request.
    signal: new AbortController().signal,
    // Nobody waits for suggestions: other requests go first.
    permitRequest: { ...toHolder(turn.thread, turn.asker), priority: 'background' },
  });
  try {
    const prompt = suggestPrompt(question, outcome.text);
    const suggestionRequest = { model, prompt, turn, request, deadline, fence: answered.fence };
    const questions = await requestSuggestions(suggestionRequest, context);
    const controls = withoutRepeats(question, questions)
      .flatMap((one) => toButton(one, turn.thread))
      .slice(0, MAX_FOLLOW_UPS);
    if (controls.length > 0) await postFollowUps(controls, answered, context, locale);
  } catch (error) {
    context.log('follow-ups.failed', { error: errorName(error), ...failureFacts(error) });
  } finally {
    await request.end();
  }
}

/** Returns the model that suggests questions after this answer; undefined if nobody wants or would see suggestions, or the answer is incomplete. */
function suggestionModel(
  { turn, outcome }: AnsweredTurn,
  { chat, settings, messenger }: Pick<FollowUpContext, 'chat' | 'settings' | 'messenger'>,
): string | undefined {
  // An integration presses no buttons.
  if (isIntegration(turn.asker)) return undefined;
  if (outcome.kind !== 'answered' || outcome.finish !== 'stop') return undefined;
  const setting = resolve('suggestions', settings.layers).value;
  if (setting === false) return undefined;
  const model = settings.followUpModel ?? (setting === true ? chat.model : undefined);
  return model !== undefined && messenger.canPost(turn.thread) ? model : undefined;
}

const suggestPrompt = (question: string, answer: string): readonly PromptMessage[] => [
  { role: 'system', content: SUGGEST_PROMPT },
  {
    role: 'user',
    content: `${question.slice(0, MAX_PROMPT_CHARS)}\n\n---\n\n${answer.slice(0, MAX_PROMPT_CHARS)}`,
  },
];

type SuggestionRequest = {
  /** Of the claim of the answer: each answer to a question has suggestions of its own. */
  readonly fence: number;
  readonly model: string;
  readonly prompt: readonly PromptMessage[];
  readonly turn: TurnRef;
  readonly request: RateLimitedRequest;
  /** ms since 1970. */
  readonly deadline: number;
};

/** Requests the questions, charged to the asker. Rejects as the budget and the model do. */
async function requestSuggestions(
  { model, prompt, turn, request, deadline, fence }: SuggestionRequest,
  { chat, budgets }: Pick<FollowUpContext, 'chat' | 'budgets'>,
): Promise<readonly string[]> {
  const reservation = await budgets.reserve({
    id: `${turn.message}.next.${fence}`,
    thread: turn.thread,
    person: turn.asker,
    model,
    prompt,
    maxTokens: SUGGEST_TOKENS,
    requests: MAX_SUGGEST_REQUESTS,
  });
  const { signal } = new AbortController();
  const responses: Parameters<OnCompletion>[0][] = [];
  const onCompletion: OnCompletion = (response) => void responses.push(response);
  const options = { ...request.options, model, maxTokens: SUGGEST_TOKENS, signal, deadline, onCompletion };
  let failure: unknown;
  try {
    return await chat.suggestQuestions(prompt, options);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // Also those without a response: the server may bill each that it has not rejected.
    const requests = Math.max(responses.length, request.countBillable(failure));
    const reported = responses.flatMap(({ usage }) => usage ?? []);
    const unreported = requests - reported.length;
    const text = responses.map((one) => (one.usage ? '' : one.text)).join('');
    const usage = [...reported, estimateTotal(prompt, text, unreported)].reduce<Usage | undefined>(
      addUsage,
      undefined,
    );
    await (requests === 0
      ? reservation.release()
      : reservation.settle(model, usage, '', { requests, isEstimated: unreported > 0 }));
  }
}

/** Estimates the usage of this number of requests, whose responses have this text. */
function estimateTotal(prompt: readonly PromptMessage[], text: string, requests: number): Usage {
  const { promptTokens, completionTokens, ...others } = estimateUsage({ prompt }, text);
  // A response never exceeds its limit, even if the estimate does.
  const maxTokens = SUGGEST_TOKENS * requests;
  return {
    ...others,
    promptTokens: promptTokens * requests,
    completionTokens: Math.min(maxTokens, completionTokens),
  };
}

type OnCompletion = NonNullable<SuggestOptions['onCompletion']>;

/** Posts the card, and stores its id in the turn. */
async function postFollowUps(
  controls: readonly CardControl[],
  { turn, fence }: AnsweredTurn,
  { messenger, turns }: Pick<FollowUpContext, 'messenger' | 'turns'>,
  locale: Locale,
): Promise<void> {
  const card: Card = {
    parts: [
      { kind: 'note', markdown: localize(locale, 'answers.follow-ups') },
      { kind: 'controls', controls },
    ],
  };
  // Each attempt has another fence.
  const key = `follow-ups-${turn.message}-${fence}`;
  const cardId = await messenger.postCard(turn.thread, card, key, undefined, { isNew: true });
  await turns.saveFollowUps(turn, cardId);
}

/** Removes questions that repeat the asked question or each other. */
function withoutRepeats(userQuestion: string, questions: readonly string[]): string[] {
  const known = new Set([normalizeQuestion(userQuestion)]);
  return questions.filter((question) => {
    const isRepeated = known.has(normalizeQuestion(question));
    known.add(normalizeQuestion(question));
    return !isRepeated;
  });
}

/** Removes differences in case, width, spacing, quotation marks, and punctuation at the ends, for comparison. */
const normalizeQuestion = (question: string): string =>
  question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/["'`\p{Pi}\p{Pf}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '');

/** Returns a button whose action contains the question, and the root of its conversation if there is room; none if the question is too long for an action. */
function toButton(question: string, { root }: Pick<Thread, 'root'>): CardControl[] {
  const label = question.replaceAll(/\s+/gu, ' ').trim();
  if (label === '') return [];
  for (const args of [[label, root], [label]]) {
    const action = { name: 'follow.ask', args };
    if (fitsAction(action)) return [{ kind: 'button', label, action }];
  }
  return [];
}

function fitsAction(action: CardAction): boolean {
  try {
    serializeAction(action);
    return true;
  } catch {
    return false;
  }
}
