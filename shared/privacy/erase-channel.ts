import { formatMention, type MessageId, textCard } from '../domain/index.ts';
import { localize, toLocale } from '../i18n/index.ts';
import type { CollectionPlace, Schedule } from '../storage/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import type { PrivacyContext } from './context.ts';

type ChannelContext = Pick<PrivacyContext, 'collections' | 'erasure' | 'schedules' | 'messenger' | 'log'>;

/**
 * Removes the collection, the facts and the settings of a deleted channel, and ends its schedules; their authors are told. `inThread`: only what was added to
 * the collection from a deleted thread of it. Safe to repeat. Rejects if the table is unavailable.
 */
export async function eraseChannel(
  place: CollectionPlace,
  inThread: MessageId | undefined,
  isSecondPass: boolean,
  context: ChannelContext,
): Promise<{ readonly erased: number; readonly next?: undefined; readonly pauseMs?: undefined }> {
  const { collections, erasure, schedules } = context;
  if (inThread !== undefined) {
    await collections.removeThread(place, inThread);
    return { erased: 1 };
  }
  await collections.removeAll(place);
  await erasure.channelSettings(place);
  const all = isSecondPass ? [] : await schedules.list(place);
  for (const schedule of all) if (schedule.channel === place.channel) await endSchedule(schedule, context);
  return { erased: 1 };
}

/** Tells its author first: a repetition would not find it any more. A message that cannot be sent does not keep it. */
async function endSchedule(schedule: Schedule, { schedules, messenger, log }: ChannelContext): Promise<void> {
  const { id, by, channel, content, locale } = schedule;
  const where = `#${channel}`;
  const { parts, ...card } = textCard(
    localize(toLocale(locale), 'schedule.ended.channel', { where: formatMention(where) }),
    'bad',
    [where],
  );
  const prompt = content.kind === 'prompt' ? textCard(content.prompt).parts : [];
  await messenger
    .sendDirectMessage(schedule, by, { ...card, parts: [...parts, ...prompt] }, `${id}#deleted`)
    .catch((error: unknown) => log('schedule.report-failed', { name: id, channel, ...getErrorFacts(error) }));
  await schedules.remove(schedule, id);
}
