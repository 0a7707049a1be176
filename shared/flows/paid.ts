import type { Step } from '../platforms/platform.ts';
import { type Locale, say } from '../texts/index.ts';
import { UpstreamError } from '../upstream/index.ts';
import { ModelsFull, NoSlot } from './no-slot.ts';
import type { ChatEvent, Deps } from './ports.ts';
import type { Warning } from './account-lines.ts';
import type { Planned } from './spending.ts';

/** `max_tokens` of a request that names none: see the client of the upstream. */
export const LONGEST_ANSWER = 4_096;

export type Paying = {
  readonly deps: Pick<Deps, 'spending'>;
  /** What is asked for. */
  readonly call: Planned;
  /** Whether a request has left. */
  readonly sent: () => boolean;
  /** Told that most of a budget is used. */
  readonly warned?: ((warning: Warning) => void) | undefined;
};

/**
 * The events of one completion, paid for: reserved before it is asked for, booked at its end or where it was broken off,
 * given back if it came to nothing. Throws OverBudget before anything is sent.
 */
export async function* paid(
  stream: () => AsyncIterable<ChatEvent>,
  paying: Paying,
): AsyncGenerator<ChatEvent> {
  const { deps, call, sent, warned } = paying;
  const hold = await deps.spending?.reserve(call);
  let words = '';
  let booked = hold === undefined;
  let free = false;
  try {
    for await (const event of stream()) {
      if (event.type === 'end') {
        booked = true;
        const warning = await hold?.settle(event.model, event.usage, words);
        if (warning) warned?.(warning);
      } else words += event.text;
      yield event;
    }
  } catch (error) {
    free = words === '' && costsNothing(error);
    throw error;
  } finally {
    if (!booked && hold) await (free || !sent() ? hold.release() : hold.settle(call.model, undefined, words));
  }
}

/** An answer that is a refusal is not billed; of a request that was never answered nobody knows. */
export const costsNothing = (error: unknown): boolean =>
  error instanceof NoSlot ||
  error instanceof ModelsFull ||
  (error instanceof UpstreamError && error.status !== undefined);

/** What stands beside an answer where most of a budget is used. */
export const warningStep = (warning: Warning, locale: Locale): Step => ({
  id: 'budget',
  title: say(locale, 'answers.step.budget', warning),
  state: 'done',
});
