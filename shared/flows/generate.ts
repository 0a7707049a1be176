import type { Ending, PromptMessage } from '../conversation/index.ts';
import type { Reply, Step } from '../platforms/platform.ts';
import { NoSlot } from './no-slot.ts';
import type { ChatEvent, Delivery, Deps, Verdict } from './ports.ts';
import { explain } from './sentences.ts';
import type { Thinking } from './thinking.ts';

/** How long a question waits for its slot within one delivery; longer waits go back to the queue. */
const MAX_WAIT_MS = 60_000;
/** Waits shorter than this pass without a word. */
const WORTH_SAYING_MS = 1_500;

export type Generation = {
  readonly reply: Reply;
  readonly thinking: Thinking;
  readonly signal: AbortSignal;
  /** The person wants no more of it: what there is, is the answer. */
  readonly stop: AbortSignal;
  readonly model?: string | undefined;
  readonly delivery: Delivery;
  readonly deps: Pick<Deps, 'chat' | 'slots' | 'time' | 'log'>;
};

export type Outcome =
  | { readonly kind: 'ended'; readonly ending: Ending; readonly steps: readonly Step[] }
  | Extract<Verdict, { kind: 'later' }>;

/**
 * Streams one completion into the reply. Resolves with how the turn ended, a failure of the upstream included: that is
 * one sentence for the person. Rejects when the claim is lost, or when the table is out of reach.
 */
export async function generate(prompt: readonly PromptMessage[], work: Generation): Promise<Outcome> {
  const { deps, signal, delivery } = work;
  let shown = '';
  try {
    const events = deps.chat.stream(prompt, {
      signal,
      deadline: delivery.deadline,
      beforeAttempt: () => waitForSlot(work),
    });
    for await (const event of events) {
      if (event.type === 'text') {
        shown += event.text;
        work.reply.write(event.text);
        if (shown.length === event.text.length) work.thinking.stop().catch(() => undefined);
      } else if (event.type === 'end') {
        return { kind: 'ended', ending: answered(event), steps: [] };
      }
    }
    throw new Error('the completion ended without an end');
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(error, shown, work);
  }
}

async function failed(
  error: unknown,
  shown: string,
  { deps, delivery, thinking, reply }: Generation,
): Promise<Outcome> {
  const failure = explain(error);
  if (!failure) throw error;
  deps.log('answer.failed', { reason: failure.reason });
  const { retryAfterMs } = failure;
  if (retryAfterMs !== undefined && !shown && !delivery.last) {
    if (failure.reason === 'rate-limited') await deps.slots.pause(deps.time.now() + retryAfterMs);
    thinking.say(`is waiting in line: about ${inWords(retryAfterMs)}`);
    return { kind: 'later', afterMs: retryAfterMs };
  }
  const notice = `_${failure.sentence}_`;
  if (shown) reply.write(`\n\n${notice}`);
  return {
    kind: 'ended',
    ending: { kind: 'failed', reason: failure.reason, text: shown ? `${shown}\n\n${notice}` : notice },
    steps: [],
  };
}

async function waitForSlot({ deps, thinking, signal, delivery }: Generation): Promise<void> {
  const { slots, time } = deps;
  const left = delivery.deadline - time.now();
  const decision = await slots.take(Math.max(0, Math.min(MAX_WAIT_MS, left / 2)));
  if (!decision.granted) throw new NoSlot(decision.retryAfterMs);
  if (decision.waitMs === 0) return;
  const long = decision.waitMs >= WORTH_SAYING_MS;
  if (long) thinking.say(`is waiting in line: about ${inWords(decision.waitMs)}`);
  await time.sleep(decision.waitMs, signal);
  if (long) thinking.say('is thinking…');
}

function answered(end: Extract<ChatEvent, { type: 'end' }>): Ending {
  const { text, finish, model, usage, requestId, weightVersion } = end;
  const words = text.trim() === '' ? EMPTY : finish === 'length' ? `${text}\n\n${CUT}` : text;
  return { kind: 'answered', text: words, finish, model, usage, requestId, weightVersion };
}

const EMPTY = '_The model ended without an answer. Ask again, perhaps in other words._';
const CUT = '_The answer reached the longest length allowed. Say “go on” for the rest._';

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** An answer without the sentence that says it was cut. */
export function withoutNotice(text: string): string {
  return text.endsWith(CUT) ? text.slice(0, -CUT.length).trimEnd() : text;
}
