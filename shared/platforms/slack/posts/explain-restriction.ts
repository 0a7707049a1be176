import { isIntegration, type TurnRef } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import { getRefusalReason } from '../api/errors.ts';
import type { SlackDeps } from '../deps.ts';
import { NO_PREVIEWS } from './messages.ts';

/**
 * Tells the asker in a direct message that the bot may not post where they asked, such as in a channel for announcements: in the
 * channel they would see nothing. An integration reads it over the API. Not repeated, and never rejects: the question has ended.
 */
export async function explainRestriction(
  { call, log, locale }: Pick<SlackDeps, 'call' | 'log'> & { readonly locale?: Promise<Locale> | undefined },
  turn: TurnRef,
): Promise<void> {
  if (isIntegration(turn.asker)) return;
  const place = `<#${turn.thread.channel}>`;
  const text = localize((await locale) ?? 'en', 'answers.slack.restricted', { place });
  await call('chat.postMessage', { channel: turn.asker, text, ...NO_PREVIEWS }).catch((error: unknown) =>
    log?.('slack.direct-message-failed', { reason: getRefusalReason(error) }),
  );
}
