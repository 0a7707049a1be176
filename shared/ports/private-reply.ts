import type { Card, Interaction } from '../domain/index.ts';
import { type Messenger, ReplyRefusedError } from '../platforms/ports/index.ts';
import type { Log, Time } from '../runtime/index.ts';
import { getErrorFacts } from '../utils/index.ts';

/** Delays before the retries. Slack accepts five responses to an interaction. */
const PAUSES_MS = [500, 1_500, 4_000] as const;

type ReplyContext = {
  readonly messenger: Pick<Messenger, 'respond'>;
  readonly time: Time;
  readonly log: Log;
};

/**
 * Sends an ephemeral response to an interaction. Retries failures: without a response the bot seems to ignore the person, and a duplicate
 * response does no harm. The command itself is not repeated. Never rejects: a response that cannot be sent is logged as `event`.
 */
export async function replyPrivately(
  interaction: Interaction,
  card: Card,
  { messenger, time, log }: ReplyContext,
  event: string,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await messenger.respond(interaction, card);
    } catch (error) {
      const pauseMs = error instanceof ReplyRefusedError ? undefined : PAUSES_MS[attempt];
      if (pauseMs === undefined) return log(event, getErrorFacts(error));
      await time.sleep(pauseMs);
    }
  }
}
