import type { CommandsContext } from '../../context.ts';
import {
  type Card,
  channelId,
  formatMention,
  type Interaction,
  type QueueDelivery,
  textCard,
  type TurnRef,
} from '../../../domain/index.ts';
import { BudgetExceededError } from '../../../billing/index.ts';
import { describeFailure } from '../../../chat/index.ts';
import {
  formatCommand,
  formatMoment,
  type Locale,
  localize,
  scheduleLabel,
  toLocale,
} from '../../../i18n/index.ts';
import { acceptQuestion, intakeWithin } from '../../../intake/index.ts';
import {
  CannotPostError,
  hasBlockedWords,
  HistoryUnavailableError,
  ThreadDeletedError,
} from '../../../platforms/ports/index.ts';
import { type RunOutcome, RunPostponedError, type ScheduledRun } from '../../../schedules/index.ts';
import { findAccessRefusal, isSilent } from '../../../settings/rules/index.ts';
import { resolveLocale } from '../../../settings/index.ts';
import type { Schedule } from '../../../storage/index.ts';
import { getErrorFacts } from '../../../utils/index.ts';
import { describeHistoryError } from '../parts/request-summary.ts';
import { findScheduleRefusal } from './may-schedule.ts';
import { reportLeftAuthor } from './report-left-author.ts';
import { requestDigest } from './request-digest.ts';
import { describeAuthor, describeContent } from './schedule-card.ts';

/** With the settings of the schedule's channel and author. */
type RunContext = CommandsContext;

/** What a run shows in its channel; `question`: what is then asked in the thread of that message. */
type RunMessage = { readonly card: Card; readonly question?: string };

/**
 * Does the run of a prompt: posts a message that names the author and the schedule, and asks the prompt as a question of the author,
 * in the thread of that message. Budgets, limits and blocks apply as to any question. Safe to repeat: the message is posted once for each
 * run, and one message is one turn. Rejects if a table, the queue or the platform is unavailable.
 */
export const runScheduledPrompt = (run: ScheduledRun, context: RunContext): Promise<RunOutcome> =>
  runAllowed(run, context, async (locale) => {
    const question = describeContent(run.schedule, locale);
    const { by } = run.schedule;
    return {
      question,
      card: { by, parts: [...textCard(question).parts, describeAuthor(run.schedule, locale)] },
    };
  });

/**
 * Does the run of a digest: posts the summary. A failure of the model is posted instead. If waiting helps, only once the run is an hour
 * late; rejects with RunPostponedError before.
 */
export const runScheduledDigest = (
  run: ScheduledRun,
  context: RunContext,
  delivery: QueueDelivery,
): Promise<RunOutcome> =>
  runAllowed(run, context, async (locale) => {
    const { schedule } = run;
    const title = describeContent(schedule, locale);
    const author = describeAuthor(schedule, locale);
    const request = toRequest(run, locale, context);
    try {
      const parts = await requestDigest(request, schedule, context, delivery);
      return { card: { title, parts: [...parts, author] } };
    } catch (error) {
      const { reason, retryAfterMs } =
        error instanceof HistoryUnavailableError
          ? { reason: describeHistoryError(request, error), retryAfterMs: getHistoryWaitMs(error) }
          : describeModelFailure(error, locale, context);
      const lateMs = context.time.now() - schedule.dueMs;
      if (retryAfterMs !== undefined && lateMs < MAX_WAIT_MS)
        throw new RunPostponedError(retryAfterMs, error);
      const failure = textCard(localize(locale, 'schedule.failed', { reason }), 'bad');
      return { card: { ...failure, title, parts: [...failure.parts, author] } };
    }
  });

/** For so long after it was due, a digest waits for the limits of models and of the platform. */
const MAX_WAIT_MS = 3_600_000;
/** The wait for a budget whose rest is reserved for answers in progress: a person asks again, a schedule cannot. */
const HELD_WAIT_MS = 15_000;

const getHistoryWaitMs = ({ reason, retryAfterMs }: HistoryUnavailableError): number | undefined =>
  reason === 'slowed' ? Math.max(1_000, retryAfterMs) : undefined;

/** Describes a failure of a model. `retryAfterMs`: waiting helps. Rethrows any other. */
function describeModelFailure(error: unknown, locale: Locale, { time, settings }: RunContext) {
  const failure = describeFailure(error, { now: time.now(), zone: settings.zone, locale });
  if (!failure) throw error;
  const isHeld = error instanceof BudgetExceededError && error.shortage === 'held';
  return { reason: failure.sentence, retryAfterMs: isHeld ? HELD_WAIT_MS : failure.retryAfterMs };
}

/** Checks whether the schedule may run at all, and whether its time has passed; then posts what `create` returns. */
async function runAllowed(
  run: ScheduledRun,
  context: RunContext,
  create: (locale: Locale) => Promise<RunMessage>,
): Promise<RunOutcome> {
  const { schedule, missed } = run;
  const locale = resolveLocale(context.settings.layers, schedule.locale);
  const stop = await findPossibleStop(schedule, locale, context);
  if (stop) return announceStop(run, stop, locale, context);
  const message = missed.length > 0 ? { card: missedCard(run, locale) } : await create(locale);
  const turn = await post(run, message.card, context);
  if (turn instanceof Error) {
    // An archived channel can be opened again, and the bot added again: nothing that somebody set up is removed for it.
    if (run.endsIfUndeliverable) {
      await tellAuthor(run, cardForAuthor('paused-undeliverable', schedule, locale, context), context);
      return 'paused';
    }
    // The person learns of it once, not at every run.
    const key = hasBlockedWords(turn) ? 'undeliverable-blocked' : 'undeliverable';
    if (schedule.failures === 0)
      await tellAuthor(run, cardForAuthor(key, schedule, locale, context), context);
    return 'undeliverable';
  }
  if (message.question !== undefined) await ask(turn, message.question, context);
  return 'done';
}

/** Why a schedule stops, and whether the channel is told: otherwise only its author is. `left`: the author has, so administrators are told. */
type Stop =
  | { readonly outcome: 'paused' | 'ended'; readonly card: Card; readonly isPublic: boolean }
  | { readonly outcome: 'left' };

async function findStop(
  schedule: Schedule,
  locale: Locale,
  { settings, memberRoles }: RunContext,
): Promise<Stop | undefined> {
  const { by: user, channel } = schedule;
  const { layers } = settings;
  if (isSilent(layers))
    return {
      outcome: 'paused',
      card: textCard(localize(locale, 'settings.refused.silent'), 'bad'),
      isPublic: false,
    };
  const say = (key: 'ended.refused' | 'ended.admins' | 'paused-off'): Card =>
    textCard(localize(locale, `schedule.${key}`, { who: formatMention(user) }), 'bad', [user]);
  const { hasLeft, admin } = await memberRoles(schedule, user);
  if (hasLeft) return { outcome: 'left' };
  const refusal = await findAccessRefusal({ user, channel }, layers, () => memberRoles(schedule, user));
  if (refusal) return { outcome: 'ended', card: say('ended.refused'), isPublic: true };
  switch (findScheduleRefusal(schedule, layers, admin)) {
    case 'off':
      return { outcome: 'paused', card: say('paused-off'), isPublic: true };
    case 'admins':
      return { outcome: 'ended', card: say('ended.admins'), isPublic: true };
    case undefined:
      return undefined;
  }
}

/** A channel that the author may not read any more is not told of their schedule: only they are. */
async function findPossibleStop(
  schedule: Schedule,
  locale: Locale,
  context: RunContext,
): Promise<Stop | undefined> {
  const stop = await findStop(schedule, locale, context);
  if (stop?.outcome === 'left' || stop?.isPublic === false) return stop;
  const accessStop = await findAccessStop(schedule, locale, context);
  return stop && accessStop ? { ...stop, isPublic: false } : (stop ?? accessStop);
}

/** Nobody is answered, or given a summary, in a channel that they may not read. Rejects if the platform is unavailable. */
async function findAccessStop(
  schedule: Schedule,
  locale: Locale,
  context: RunContext,
): Promise<Stop | undefined> {
  const { platform, workspace, channel, by } = schedule;
  if (channel === undefined) return undefined;
  const access = await context.channelAccess({ platform, workspace, channel }, by);
  if (access !== 'denied') return undefined;
  const card = cardForAuthor('paused-unreadable', schedule, locale, context);
  return { outcome: 'paused', card, isPublic: false };
}

async function announceStop(
  run: ScheduledRun,
  stop: Stop,
  locale: Locale,
  context: RunContext,
): Promise<RunOutcome> {
  if (stop.outcome === 'left') {
    await reportLeftAuthor(run, locale, context);
    return 'paused';
  }
  const isShown = stop.isPublic && !((await post(run, stop.card, context)) instanceof Error);
  if (!isShown) await tellAuthor(run, stop.card, context);
  return stop.outcome;
}

/** Posts a card in the channel, once for each run. Resolves with the error if the platform refuses it for good. */
async function post(
  { schedule, key, maybePostedSince }: ScheduledRun,
  card: Card,
  { messenger, log }: RunContext,
): Promise<TurnRef | CannotPostError | ThreadDeletedError> {
  const { platform, workspace, channel, by } = schedule;
  try {
    return await messenger.startThread(
      { platform, workspace, channel, id: key, by: { user: by, workspace }, maybePostedSince },
      card,
    );
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    log('schedule.post-refused', { name: schedule.id, channel, ...getErrorFacts(error) });
    return error;
  }
}

async function ask(turn: TurnRef, question: string, context: RunContext): Promise<void> {
  const { thread, message: id, asker: author, askerWorkspace: authorWorkspace } = turn;
  const message = { thread, id, author, authorWorkspace, text: question, attachments: [] };
  await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(context));
}

/** Says which runs were not done. */
function missedCard({ schedule, missed, nextMs }: ScheduledRun, locale: Locale): Card {
  const { zone } = schedule.recurrence;
  const text = localize(locale, 'schedule.missed', {
    count: missed.length,
    when: formatMoment(missed[0] ?? schedule.dueMs, zone, locale),
    next: formatMoment(nextMs, zone, locale),
  });
  const { parts, ...card } = textCard(text, 'bad');
  const title = schedule.content.kind === 'digest' ? describeContent(schedule, locale) : undefined;
  return { ...card, title, parts: [...parts, describeAuthor(schedule, locale)] };
}

/** What only the author is told: which of their schedules it is, by its channel, and the command that lists it with its buttons. */
function cardForAuthor(
  key: 'undeliverable' | 'undeliverable-blocked' | 'paused-undeliverable' | 'paused-unreadable',
  { platform, channel, locale: authorLocale }: Schedule,
  locale: Locale,
  { settings }: Pick<RunContext, 'settings'>,
): Card {
  const where = `#${channel ?? channelId('')}`;
  const command = formatCommand(scheduleLabel, { platform, locale: toLocale(authorLocale) }, settings);
  return textCard(localize(locale, `schedule.${key}`, { where: formatMention(where), command }), 'bad', [
    where,
  ]);
}

/** Sends the author a direct message, once for each run. Never rejects. */
async function tellAuthor(
  { schedule, key }: ScheduledRun,
  card: Card,
  { messenger, log }: RunContext,
): Promise<void> {
  await messenger
    .sendDirectMessage(schedule, schedule.by, card, `${key}#author`)
    .catch((error: unknown) => log('schedule.report-failed', { name: schedule.id, ...getErrorFacts(error) }));
}

/** The run as a request of its author, for the summary. It has no interaction token: nothing is sent with it. */
function toRequest({ schedule, key }: ScheduledRun, locale: Locale, { time }: RunContext) {
  const { platform, workspace, channel, by } = schedule;
  const interaction: Interaction = {
    id: key,
    platform,
    workspace,
    channel: channel === undefined ? undefined : channelId(channel),
    by: { user: by, workspace, locale: schedule.locale, roles: [] },
    responseToken: '',
    tokenExpiresAtMs: time.now(),
    payload: { kind: 'home' },
  };
  return { interaction, locale, admin: false, payload: { kind: 'home' as const } };
}
