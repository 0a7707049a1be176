import { channelId, type Interaction } from '../domain/index.ts';
import type { TextMessage } from '../i18n/index.ts';
import {
  findNextRun,
  isTimeZone,
  isWeekday,
  parseTypedTime,
  type Recurrence,
} from '../schedules/rules/index.ts';
import type { Schedule } from '../storage/index.ts';

/** Who gets a summary: the person, or the channel. */
export type SubscriptionTarget = 'me' | 'channel';

/** Nine in the morning. */
const DEFAULT_MINUTE = 540;

/**
 * Returns when a summary comes, as typed; a text for the person if the time or the zone is invalid. Of words without a name, the second one is the zone: so it may be
 * the end of a time (`at 9`, `9 Uhr`).
 */
export function parseRecurrence(
  { day, at, zone: typedZone }: Readonly<Record<string, unknown>>,
  defaultZone = 'UTC',
): Recurrence | { readonly text: TextMessage } {
  const isZone = typeof typedZone === 'string' && isTimeZone(typedZone);
  const zone = isZone ? typedZone : defaultZone;
  const words = [at, isZone ? undefined : typedZone].filter((word) => typeof word === 'string');
  const time = words.join(' ');
  const minuteOfDay = words.length === 0 ? DEFAULT_MINUTE : parseTypedTime(time);
  if (minuteOfDay !== undefined) return { weekdays: [isWeekday(day) ? day : 'monday'], minuteOfDay, zone };
  const isTime = typeof at !== 'string' || parseTypedTime(at) !== undefined;
  return {
    text: isTime ? ['usage.quota.no-zone', { amount: String(typedZone) }] : ['weekly.no-time', { time }],
  };
}

type Subscriber = Pick<Interaction, 'platform' | 'workspace' | 'channel' | 'by'>;

/** The id of a subscription: one for each channel and each person. Undefined outside of a channel. */
export function subscriptionId(
  { channel, by }: Pick<Subscriber, 'channel' | 'by'>,
  target: SubscriptionTarget,
): string | undefined {
  if (target === 'me') return `weekly-${by.user}`;
  return channel === undefined ? undefined : `weekly-${channel}`;
}

/** Creates a subscription whose first run follows `nowMs`. Undefined outside of a channel, if it is for the channel. */
export function createSubscription(
  { platform, workspace, channel, by }: Subscriber,
  target: SubscriptionTarget,
  { recurrence, locale }: Pick<Schedule, 'recurrence' | 'locale'>,
  nowMs: number,
): Schedule | undefined {
  const id = subscriptionId({ channel, by }, target);
  if (id === undefined) return undefined;
  return {
    platform,
    workspace,
    id,
    content: { kind: 'weekly-summary' },
    by: by.user,
    channel: target === 'channel' && channel !== undefined ? channelId(channel) : undefined,
    recurrence,
    locale,
    dueMs: findNextRun(recurrence, nowMs),
    failures: 0,
  };
}
