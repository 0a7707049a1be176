import { type Card, formatMention, textCard } from '../domain/index.ts';
import {
  formatMomentInZone,
  type Locale,
  localize,
  toLocale,
  type TypedCommandFormat,
} from '../i18n/index.ts';
import {
  CannotPostError,
  type CardMessenger,
  type FindMemberRoles,
  ThreadDeletedError,
} from '../platforms/ports/index.ts';
import type { Budgets } from '../billing/index.ts';
import type { Settings } from '../ports/index.ts';
import type { Log } from '../runtime/index.ts';
import type { RunOutcome, ScheduledRun } from '../schedules/index.ts';
import { resolveLocale } from '../settings/index.ts';
import type { Ratings, Schedule } from '../storage/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import { loadWeeklySummary } from './load-summary.ts';
import { createSummaryCard } from './summary-card.ts';

export type WeeklySummaryContext = {
  readonly budgets: Budgets;
  readonly ratings: Pick<Ratings, 'list'>;
  readonly messenger: Pick<CardMessenger, 'startThread' | 'sendDirectMessage'>;
  readonly memberRoles: FindMemberRoles;
  /** Those that apply where the summary is posted, and to the person who set it up. */
  readonly settings: Pick<Settings, 'layers' | 'slackCommand'>;
  readonly log: Log;
};

/** Formats the commands that show a summary and that end a subscription to a channel or to direct messages. */
export type FormatWeeklyCommand = (
  action: 'show' | 'off',
  target: 'channel' | 'me',
  format: TypedCommandFormat,
  settings: Pick<Settings, 'slackCommand'>,
) => string;

/**
 * Delivers a summary, or says which were missed. Ends a subscription to direct messages of a person who is no administrator any
 * more: the totals are not for everyone. Rejects if the table or the platform is unavailable.
 */
export async function deliverWeeklySummary(
  run: ScheduledRun,
  context: WeeklySummaryContext,
  formatWeeklyCommand: FormatWeeklyCommand,
): Promise<RunOutcome> {
  const { schedule } = run;
  const isForPerson = schedule.channel === undefined;
  if (isForPerson && !(await context.memberRoles(schedule, schedule.by)).admin) return 'ended';
  const locale = resolveLocale(context.settings.layers, schedule.locale);
  const format = { platform: schedule.platform, locale: toLocale(schedule.locale) };
  const target = isForPerson ? 'me' : 'channel';
  const command = (action: 'show' | 'off'): string =>
    formatWeeklyCommand(action, target, format, context.settings);
  const card =
    run.missed.length > 0
      ? missedCard(run, command('show'), locale)
      : await createSummary(schedule, command('off'), locale, context);
  if (await deliver(run, card, context)) return 'done';
  // The person learns of it once, not every week.
  if (schedule.failures === 0) await reportUndeliverable(run, command('off'), locale, context);
  return 'undeliverable';
}

async function createSummary(
  schedule: Schedule,
  command: string,
  locale: Locale,
  { budgets, ratings }: WeeklySummaryContext,
): Promise<Card> {
  if (!budgets.enabled) return textCard(localize(locale, 'usage.off'));
  // By the time that was due: a repetition after midnight shows the same week.
  const summary = await loadWeeklySummary(schedule, schedule.dueMs, { budgets, ratings });
  return createSummaryCard(summary, locale, command);
}

/** Says which summaries were not sent. */
function missedCard({ schedule, missed, nextMs }: ScheduledRun, command: string, locale: Locale): Card {
  const { zone } = schedule.recurrence;
  return textCard(
    localize(locale, 'weekly.missed', {
      count: missed.length,
      when: formatMomentInZone(missed[0] ?? schedule.dueMs, zone, locale),
      next: formatMomentInZone(nextMs, zone, locale),
      command,
    }),
    'bad',
  );
}

/** Resolves with whether the card is shown, once for each key; false if the platform refuses it for good. */
async function deliver(
  { schedule, key, maybePostedSince }: ScheduledRun,
  card: Card,
  { messenger, log }: Pick<WeeklySummaryContext, 'messenger' | 'log'>,
): Promise<boolean> {
  const { platform, workspace, channel, by } = schedule;
  try {
    if (channel === undefined)
      await messenger.sendDirectMessage({ platform, workspace }, by, card, key, maybePostedSince);
    else
      await messenger.startThread(
        { platform, workspace, channel, id: key, by: { user: by, workspace }, maybePostedSince },
        card,
      );
    return true;
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    log('schedule.post-refused', { name: schedule.id, channel, ...getErrorFacts(error) });
    return false;
  }
}

/** Tells the person who set it up that their channel no longer gets the summary. Never rejects. */
async function reportUndeliverable(
  { schedule, key }: ScheduledRun,
  command: string,
  locale: Locale,
  { messenger, log }: Pick<WeeklySummaryContext, 'messenger' | 'log'>,
): Promise<void> {
  const { channel, by } = schedule;
  if (channel === undefined) return;
  const where = `#${channel}`;
  const text = localize(locale, 'weekly.undeliverable', { where: formatMention(where), command });
  await messenger
    .sendDirectMessage(schedule, by, textCard(text, 'bad', [where]), `${key}#undeliverable`)
    .catch((error: unknown) =>
      log('schedule.report-failed', { name: schedule.id, channel, ...getErrorFacts(error) }),
    );
}
