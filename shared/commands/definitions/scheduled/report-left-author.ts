import type { CommandsContext } from '../../context.ts';
import { type Card, channelId, formatMention, textCard } from '../../../domain/index.ts';
import { formatCommand, type Locale, localize, scheduleLabel, toLocale } from '../../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../../platforms/ports/index.ts';
import type { ScheduledRun } from '../../../schedules/index.ts';
import type { Schedule } from '../../../storage/index.ts';

type ReportContext = Pick<CommandsContext, 'messenger' | 'schedules' | 'settings'>;

/**
 * Says once that the author of a schedule has left: wherever administrators get the weekly summary, otherwise in the channel of the schedule. Safe
 * to repeat. Rejects if the table or the platform is unavailable.
 */
export async function reportLeftAuthor(
  { schedule, key, maybePostedSince }: ScheduledRun,
  locale: Locale,
  { messenger, schedules, settings }: ReportContext,
): Promise<void> {
  const { platform, workspace, by } = schedule;
  const card = leftCard(schedule, locale, settings);
  const sendCard = async ({ channel, by: user }: Pick<Schedule, 'channel' | 'by'>): Promise<boolean> => {
    const id = `${key}#left#${channel ?? user}`;
    const origin = { platform, workspace, channel, id, by: { user: by, workspace }, maybePostedSince };
    try {
      if (channel === undefined)
        await messenger.sendDirectMessage(schedule, user, card, id, maybePostedSince);
      else await messenger.startThread(origin, card);
      return true;
    } catch (error) {
      if (error instanceof CannotPostError || error instanceof ThreadDeletedError) return false;
      throw error;
    }
  };
  const all = await schedules.list(schedule);
  const subscriptions = all.filter(({ content }) => content.kind === 'weekly-summary');
  const deliveries: boolean[] = [];
  for (const subscription of subscriptions) deliveries.push(await sendCard(subscription));
  if (!deliveries.includes(true) && schedule.channel !== undefined) await sendCard(schedule);
}

function leftCard(
  { platform, by, channel, locale: authorLocale }: Schedule,
  locale: Locale,
  settings: ReportContext['settings'],
): Card {
  const where = `#${channel ?? channelId('')}`;
  const command = formatCommand(scheduleLabel, { platform, locale: toLocale(authorLocale) }, settings);
  const names = { who: formatMention(by), where: formatMention(where), command };
  return textCard(localize(locale, 'schedule.paused-left', names), 'bad', [by, where]);
}
