import type { History } from '../../../platforms/ports/index.ts';
import { localize } from '../../../i18n/index.ts';
import { MAX_DAYS_BACK, type SummaryPeriod } from '../../../summary/index.ts';
import type { InteractionRequest } from '../../framework/types.ts';
import { formatTime, type Selection } from '../parts/request-summary.ts';

/** Selects the messages of a period. */
export const createSelector =
  (period: SummaryPeriod, start: number, request: InteractionRequest) =>
  (history: History): Selection => {
    // Slack includes the root message of a thread even if it is older.
    const messages = history.messages.filter(({ at }) => at >= start);
    if (period !== 'last-message') return { messages, incomplete: history.incomplete, since: start };
    const own = messages.findLastIndex(({ by }) => by === request.interaction.by.user);
    if (own < 0) return withoutOwn(messages, start, history, request);
    return { messages: messages.slice(own + 1), since: messages[own]?.at };
  };

/**
 * Selects what came after the newest message that the person wrote or reacted to: who does that has read so far. No platform tells a bot more. Slack
 * lists the people who reacted, but not when; Discord lists none.
 */
export const createCatchUpSelector =
  (start: number, zone: string, request: InteractionRequest) =>
  (history: History): Selection => {
    const { interaction, locale } = request;
    const { user } = interaction.by;
    const messages = history.messages.filter(({ at }) => at >= start);
    const last = messages.findLastIndex(({ by, reactedBy = [] }) => by === user || reactedBy.includes(user));
    const lastMessage = messages[last];
    if (!lastMessage) return withoutOwn(messages, start, history, request);
    const { by, at: since } = lastMessage;
    const key = by === user ? 'after-own-message' : 'after-own-reaction';
    const remark = localize(locale, `summary.${key}`, { time: formatTime(since, zone, locale) });
    return { messages: messages.slice(last + 1), since, remark };
  };

/** The whole period, with the reason: none of the messages that could be read shows how far the person has read. */
function withoutOwn(
  messages: History['messages'],
  since: number,
  { incomplete, unreadThreads }: History,
  { locale }: InteractionRequest,
): Selection {
  const remark =
    incomplete || unreadThreads > 0
      ? localize(locale, 'summary.own-message-unread')
      : localize(locale, 'summary.no-own-message', { days: MAX_DAYS_BACK });
  return { messages, incomplete, since, remark };
}
