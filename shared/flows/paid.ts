import { showDollars } from '../budgets/index.ts';
import type { Step } from '../platforms/platform.ts';
import { type Locale, say } from '../texts/index.ts';
import { UpstreamError } from '../upstream/index.ts';
import { NoSlot } from './no-slot.ts';
import type { ChatEvent, Deps } from './ports.ts';
import type { Planned, Told } from './spending.ts';

/** `max_tokens` of a request that names none: see the client of the upstream. */
export const LONGEST_ANSWER = 4_096;

export type Paying = {
  readonly deps: Pick<Deps, 'spending'>;
  /** What is asked for. */
  readonly call: Planned;
  /** Whether a request has left. */
  readonly sent: () => boolean;
  /** Told what the bot is to say of the cost. */
  readonly told?: ((told: Told) => void) | undefined;
};

/**
 * The events of one completion, paid for: reserved before it is asked for, booked at its end or where it was broken off,
 * given back if it came to nothing. Throws OverBudget before anything is sent.
 */
export async function* paid(
  stream: () => AsyncIterable<ChatEvent>,
  paying: Paying,
): AsyncGenerator<ChatEvent> {
  const { deps, call, sent, told } = paying;
  const hold = await deps.spending?.reserve(call);
  let words = '';
  let booked = hold === undefined;
  let free = false;
  try {
    for await (const event of stream()) {
      if (event.type === 'end') {
        booked = true;
        const cost = await hold?.settle(event.model, event.usage, words);
        if (cost) told?.(cost);
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
  error instanceof NoSlot || (error instanceof UpstreamError && error.status !== undefined);

/** What stands beside an answer about its cost: a warning, and the cost if the workspace wants to see it. */
export function costSteps({ warning, cost }: Told, round: number, locale: Locale): Step[] {
  const steps: Step[] = [];
  if (warning) {
    steps.push({ id: 'budget', title: say(locale, 'answers.step.budget', warning), state: 'done' });
  }
  if (cost) {
    const price = cost.priced ? showDollars(cost.atto) : say(locale, 'answers.step.cost-unknown');
    const tokens = say(locale, 'answers.step.tokens', { count: cost.tokens });
    steps.push({ id: `cost-${round}`, title: `${price} · ${tokens}`, state: 'done' });
  }
  return steps;
}
