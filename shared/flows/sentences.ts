import { UpstreamError, type UpstreamErrorKind } from '../upstream/index.ts';
import { clockTime, when } from './moments.ts';
import { OverBudget } from './spending.ts';
import { ModelsFull, NoSlot } from './no-slot.ts';

/** What a person is told when there is no answer: what happened, and what to do. */
export type Failure = {
  readonly reason: UpstreamErrorKind | 'no-slot' | 'over-budget';
  readonly sentence: string;
  /** Set when waiting helps: the question then goes back into the line by itself. */
  readonly retryAfterMs?: number;
};

/** How long to wait when the model is full and does not say for how long. */
const FULL_MS = 15_000;

/** Said when every attempt at a question failed. */
export const GAVE_UP =
  'Something on my side is broken and I could not answer this. Your question is kept: ask me to try again in a few minutes. If it stays like this, tell whoever runs this bot.';

const ASK_OWNER = 'Please tell whoever runs this bot';

const SENTENCES: Readonly<Record<UpstreamErrorKind, string>> = {
  'bad-request': 'The model did not accept this question. Try it shorter or in other words.',
  auth: `The model refused my access key. ${ASK_OWNER}: the key has to be checked.`,
  'not-found': `The address of the model is wrong. ${ASK_OWNER}: the address has to be checked.`,
  'unknown-model': `The model I am set to does not exist. ${ASK_OWNER}: another has to be chosen.`,
  'rate-limited': 'More is asked of me just now than the model allows. Ask again {when}.',
  'at-capacity': 'The model is full just now. Ask again {when}.',
  quota: `The account behind me has no credit left. ${ASK_OWNER}: it has to be topped up.`,
  server: 'The model had an error of its own. Ask again in a minute; your question is kept.',
  connection: 'I cannot reach the model. Ask again in a minute; your question is kept.',
  timeout: 'The model did not answer in time. Ask again, or ask for something shorter.',
  cut: 'The answer broke off before its end. Say “go on”, or ask again.',
  malformed: `The model answered with something I cannot read. Ask again; if it stays like this, tell whoever runs this bot.`,
  'too-large': 'That was more than I can take in at once. Ask for less, or in parts.',
};

/** What to tell a person of this failure, or undefined if it is not the model's. A long wait is told by the clock. */
export function explain(
  error: unknown,
  { now, zone }: { readonly now: number; readonly zone?: string | undefined },
): Failure | undefined {
  const waiting = (reason: UpstreamErrorKind, retryAfterMs: number): Failure['sentence'] =>
    SENTENCES[reason].replace('{when}', when(retryAfterMs, now, zone));
  if (error instanceof NoSlot) {
    const { retryAfterMs } = error;
    return { reason: 'no-slot', sentence: waiting('rate-limited', retryAfterMs), retryAfterMs };
  }
  if (error instanceof ModelsFull) {
    return { reason: 'at-capacity', sentence: waiting('at-capacity', FULL_MS), retryAfterMs: FULL_MS };
  }
  if (error instanceof OverBudget) return { reason: 'over-budget', sentence: overBudget(error) };
  if (!(error instanceof UpstreamError)) return undefined;
  const { kind } = error;
  const retryAfterMs = error.retryAfterMs ?? FULL_MS;
  const sentence = isTooLong(error) ? TOO_LONG : waiting(kind, retryAfterMs);
  const failure: Failure = { reason: kind, sentence };
  return kind === 'at-capacity' || kind === 'rate-limited' ? { ...failure, retryAfterMs } : failure;
}

/** Said when even the question alone does not fit. */
const TOO_LONG =
  'This is longer than the model can take in, even without what was said before. Ask for less, or in parts.';

/** Whether the prompt, and what may be answered, were more than the model takes in. */
export function isTooLong(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'context_length_exceeded';
}

const BUDGET_OF = {
  person: 'Your budget',
  channel: 'The budget of this channel',
  workspace: 'The budget of this workspace',
  deployment: 'The budget of this bot',
} as const;
const BUDGET_FOR = { day: 'today', week: 'this week', month: 'this month' } as const;

/** A budget is used up: until when, and who can raise it. */
function overBudget({ budget, until, zone }: OverBudget): string {
  if (!budget || until === undefined) {
    return 'You may not ask me here. An admin of this workspace can change that with the command quota.';
  }
  const { scope, period } = budget;
  const time = clockTime(until, zone);
  const anew = { day: `at ${time}`, week: `on Monday at ${time}`, month: `on the first at ${time}` }[period];
  const who =
    scope === 'deployment'
      ? 'Whoever runs this bot can raise it.'
      : 'An admin of this workspace can raise it with the command quota, also for today alone.';
  return `${BUDGET_OF[scope]} for ${BUDGET_FOR[period]} is used up. It begins anew ${anew}. ${who}`;
}
