import type { OperatorCall } from '../operator/operator-call.ts';
import { hideMessages, type QueuedMessage, receiveAll } from '../operator/queues.ts';
import type { SystemAccess } from '../operator/open-system.ts';

/** Dead letters stay hidden for so long while the person decides; then `dead-letters` handles them as before. */
const HIDDEN_SECONDS = 120;
/** A call of AWS ends after 84 seconds at the latest (four attempts), so letters are hidden again before their time is over. */
const RENEW_MS = 30_000;
const MAX_LETTERS = 1_000;

/** Dead letters that are hidden from `dead-letters`. */
export type LetterHold = {
  /** The call of the system. It hides the letters again when half a minute has passed, so that a long search does not lose them. */
  readonly call: OperatorCall;
  /** The letters that are held, as far as is known. */
  readonly list: () => readonly QueuedMessage[];
  /** Hides the letters again, and resolves with those that are still held: `dead-letters` may have received the others. */
  readonly renew: () => Promise<readonly QueuedMessage[]>;
  /** Makes the letters visible again. Never rejects: they become visible by themselves. */
  readonly release: () => Promise<void>;
};

/** Receives the dead letters at `url`, at most 1,000, and hides them. `now`: ms since 1970. Rejects with OperatorError. */
export async function holdLetters(
  system: Pick<SystemAccess, 'call' | 'kind'>,
  url: string,
  now: () => number,
): Promise<LetterHold> {
  const { call } = system;
  let renewedAt = now();
  let letters: readonly QueuedMessage[] = await receiveAll(system, url, HIDDEN_SECONDS, MAX_LETTERS);
  const renew = async (): Promise<readonly QueuedMessage[]> => {
    renewedAt = now();
    letters = await hideMessages(call, url, letters, HIDDEN_SECONDS);
    return letters;
  };
  return {
    async call(service, target, input) {
      // If AWS is busy, the next call tries again.
      if (now() - renewedAt >= RENEW_MS) await renew().catch(() => undefined);
      return call(service, target, input);
    },
    list: () => letters,
    renew,
    release: () => hideMessages(call, url, letters, 0).then(ignore, ignore),
  };
}

const ignore = (): void => undefined;
