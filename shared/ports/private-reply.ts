import { type Card, type Interaction, textCard } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { hasBlockedWords, type Messenger, ReplyRefusedError } from '../platforms/ports/index.ts';
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
 * response does no harm. The command itself is not repeated. Where a filter blocks the words of the card, a notice in this locale takes its place. Never rejects: a
 * response that cannot be sent is logged as `event`.
 */
export async function replyPrivately(
  interaction: Interaction,
  card: Card,
  locale: Locale,
  { messenger, time, log }: ReplyContext,
  event: string,
): Promise<void> {
  let response = card;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await messenger.respond(interaction, response);
    } catch (error) {
      const notice = response === card ? explainBlockedWords(error, locale) : undefined;
      if (notice) {
        log(event, { ...getErrorFacts(error), reason: 'words-blocked' });
        response = notice;
        continue;
      }
      const pauseMs = error instanceof ReplyRefusedError ? undefined : PAUSES_MS[attempt];
      if (pauseMs === undefined) return log(event, getErrorFacts(error));
      await time.sleep(pauseMs);
    }
  }
}

/**
 * Returns the notice that takes the place of a response or message whose words a filter blocks, as Discord would show “thinking” for ever; undefined if
 * the messenger rejected with another error.
 */
export const explainBlockedWords = (error: unknown, locale: Locale): Card | undefined =>
  hasBlockedWords(error) ? textCard(localize(locale, 'answers.discord.reply-blocked'), 'bad') : undefined;
