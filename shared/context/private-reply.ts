import type { Card, Interaction } from '../domain/index.ts';
import { ReplyRefused } from '../platforms/ports/platform.ts';
import type { WorkerContext } from './ports.ts';
import { errorName } from '../utils/error-name.ts';

/** Before the second try, the third and the fourth. Slack takes five answers to a call. */
const PAUSES_MS = [500, 1_500, 4_000] as const;

/**
 * Answers a call for the person alone. What fails is tried again: a call whose reply never comes looks ignored, and a reply that is seen twice, since
 * only its receipt was lost, does no harm. What was called is not done again for it. Never rejects: a reply that cannot be shown is logged as `event`.
 */
export async function replyPrivately(
  invocation: Interaction,
  card: Card,
  { messenger, time, log }: Pick<WorkerContext, 'messenger' | 'time' | 'log'>,
  event: string,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await messenger.respond(invocation, card);
    } catch (error) {
      const pauseMs = error instanceof ReplyRefused ? undefined : PAUSES_MS[tries];
      if (pauseMs === undefined) return log(event, { error: errorName(error) });
      await time.sleep(pauseMs);
    }
  }
}
