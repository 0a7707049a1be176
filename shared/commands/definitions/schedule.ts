import type { CommandsContext } from '../context.ts';
import type { CardPart, TaskResult } from '../../domain/index.ts';
import {
  forWhomLabel,
  formatChoice,
  formatCommand,
  formatMomentInZone,
  formatOption,
  getCommandFormat,
  localize,
  nameLabel,
  settingsLabel,
  valueLabel,
  workspaceLabel,
} from '../../i18n/index.ts';
import { enqueueScheduledRun } from '../../schedules/index.ts';
import { findNextRun } from '../../schedules/rules/index.ts';
import type { Schedule } from '../../storage/index.ts';
import { findAbsence } from '../framework/cannot-post-card.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';
import {
  type CommandHandler,
  type CommandRequest,
  type InteractionRequest,
  replyCard,
  replyStale,
  textCard,
} from '../framework/types.ts';
import { findReachedLimit, findScheduleRefusal, isOwnContent } from './scheduled/may-schedule.ts';
import { readSchedule } from './scheduled/read-schedule.ts';
import { createScheduleCard, createScheduleParts, explainUnknownZone } from './scheduled/schedule-card.ts';
import { scheduleTexts } from './scheduled/schedule-texts.ts';
import { getReaderZone } from '../framework/reader-zone.ts';

export const spec = {
  name: 'schedule',
  options: [
    { name: 'what', kind: 'text', max: 2_000, rest: true },
    {
      name: 'days',
      kind: 'text',
      choices: [
        'every-day',
        'weekdays',
        'monday',
        'tuesday',
        'wednesday',
        'thursday',
        'friday',
        'saturday',
        'sunday',
      ],
    },
    { name: 'at', kind: 'text', max: 20 },
    { name: 'digest', kind: 'text', choices: ['yesterday', 'week'] },
    { name: 'zone', kind: 'text', max: 60 },
  ],
} as const satisfies CommandSpec;

/** Schedules a prompt or a digest of this channel; without options, lists what is scheduled. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { what, days, at, digest } = request.options;
  return [what, days, at, digest].every((option) => option === undefined)
    ? listSchedules(request, context)
    : createSchedule(request, context);
};

async function createSchedule(request: CommandRequest, context: CommandsContext): Promise<TaskResult> {
  const { locale, interaction, admin, options } = request;
  const { platform, workspace, channel, by } = interaction;
  const { layers } = context.settings;
  const refuse = (sentence: string) => replyCard(request, textCard(sentence, 'bad'), context);
  const absence = findAbsence(request);
  if (absence) return replyCard(request, absence, context);
  const refusal = findScheduleRefusal(interaction, layers, admin);
  if (refusal)
    return refuse(localize(locale, `schedule.${refusal}`, { command: allowCommand(request, context) }));
  if (channel === undefined) return refuse(localize(locale, 'settings.no.nowhere'));
  const read = readSchedule(options, await getReaderZone(request, context));
  if ('kind' in read)
    return refuse(
      read.kind === 'text'
        ? localize(locale, ...read.text)
        : localize(locale, read.key, { examples: formatExamples(request, context) }),
    );
  // Who must not read the history of the channel does not get a summary of it either.
  if (read.content.kind === 'digest' && by.mayReadHistory === false)
    return refuse(localize(locale, 'summary.refused.not-yours'));
  const { id } = interaction;
  const all = await context.schedules.list(interaction);
  // A repeated delivery of this interaction: the person may know the next run already, and it may be due by now.
  const own = all.find((one) => one.id === id);
  const limit = own ? undefined : findReachedLimit(all, by.user, layers);
  if (limit) return refuse(localize(locale, `schedule.${limit.kind}`, { count: limit.count }));
  const schedule: Schedule = own ?? {
    platform,
    workspace,
    id,
    ...read,
    by: by.user,
    channel,
    locale: by.locale,
    dueMs: findNextRun(read.recurrence, context.time.now()),
    failures: 0,
  };
  if (!own) await context.schedules.save(schedule);
  // Another one may have been created meanwhile. Each of the two sees the other here, and neither stays. A repeated delivery looks again too: the process of the
  // first one may have died before it did.
  const others = (await context.schedules.list(interaction)).filter((one) => one.id !== id);
  const exceeded = findReachedLimit(others, by.user, layers);
  if (exceeded) {
    await context.schedules.remove(interaction, id);
    return refuse(localize(locale, `schedule.${exceeded.kind}`, { count: exceeded.count }));
  }
  if (!own) logChange('created', schedule, request, context);
  return replyCreated(schedule, request, context);
}

const replyCreated = (schedule: Schedule, request: CommandRequest, context: CommandsContext) =>
  replyCard(
    request,
    createScheduleCard(localize(request.locale, 'schedule.title'), schedule, request.locale),
    context,
  );

/** For audits: who changed which schedule. Without its prompt. */
function logChange(
  change: string,
  { platform, workspace, channel, id, by, content }: Schedule,
  { interaction }: Pick<InteractionRequest, 'interaction'>,
  { log }: Pick<CommandsContext, 'log'>,
): void {
  log('schedule.changed', {
    platform,
    workspace,
    channel,
    name: id,
    kind: content.kind,
    outcome: change,
    user: interaction.by.user,
    scope: by === interaction.by.user ? 'own' : 'of another',
  });
}

/** In a list; both platforms limit the size of a message. */
const MAX_SHOWN = 10;

/** Whether a person may see and change a schedule: their own; administrators those of the channel where they are. */
const mayChange = ({ interaction, admin }: InteractionRequest, schedule: Schedule): boolean =>
  isOwnContent(schedule) &&
  (schedule.by === interaction.by.user || (admin && schedule.channel === interaction.channel));

async function listSchedules(request: CommandRequest, context: CommandsContext): Promise<TaskResult> {
  const { locale, interaction } = request;
  const all = (await context.schedules.list(interaction))
    .filter((schedule) => mayChange(request, schedule))
    .toSorted((a, b) => a.dueMs - b.dueMs);
  const parts = all
    .slice(0, MAX_SHOWN)
    .flatMap((schedule): CardPart[] => [...createScheduleParts(schedule, locale), { kind: 'divider' }]);
  const none: CardPart = { kind: 'text', markdown: localize(locale, 'schedule.none') };
  const refusal = findScheduleRefusal(interaction, context.settings.layers, request.admin);
  const notes = [
    ...(all.length > MAX_SHOWN
      ? [localize(locale, 'schedule.others', { count: all.length - MAX_SHOWN })]
      : []),
    refusal
      ? localize(locale, `schedule.${refusal}`, { command: allowCommand(request, context) })
      : localize(locale, 'schedule.how', { examples: formatExamples(request, context) }),
  ];
  const note: CardPart = { kind: 'note', markdown: notes.join(' ') };
  const title = localize(locale, 'schedule.list');
  return replyCard(request, { title, parts: [...(all.length > 0 ? parts : [none]), note] }, context);
}

/** Handles the buttons of a schedule: `schedule.pause|id`. Idempotent. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, interaction, locale } = request;
  const [id = ''] = payload.action.args;
  const operation = payload.action.name.slice('schedule.'.length);
  const schedule = await context.schedules.find(interaction, id);
  const reply = (sentence: string) => replyCard(request, textCard(sentence, 'good'), context);
  if (operation === 'delete' && !schedule) return reply(localize(locale, 'schedule.done.deleted'));
  if (!schedule || !mayChange(request, schedule)) return replyStale(request, context);
  const obstacle = explainUnknownZone(schedule.recurrence, locale);
  if (obstacle !== undefined && (operation === 'resume' || operation === 'run'))
    return replyCard(request, textCard(obstacle, 'bad'), context);
  switch (operation) {
    case 'pause': {
      const paused = await reschedule(schedule, ({ dueMs }) => ({ dueMs, isPaused: true }), context);
      if (!paused) return replyStale(request, context);
      logChange('paused', schedule, request, context);
      return replyCard(
        request,
        createScheduleCard(localize(locale, 'schedule.done.paused'), paused, locale),
        context,
      );
    }
    case 'resume': {
      // What was due meanwhile was not missed.
      const dueMs = findNextRun(schedule.recurrence, context.time.now());
      if (!(await reschedule(schedule, () => ({ dueMs, isPaused: false }), context)))
        return replyStale(request, context);
      logChange('resumed', schedule, request, context);
      const next = formatMomentInZone(dueMs, schedule.recurrence.zone, locale);
      return reply(localize(locale, 'schedule.done.resumed', { next }));
    }
    case 'run':
      if (schedule.isPaused) return replyStale(request, context);
      return (await runNow(schedule, request, context))
        ? reply(localize(locale, 'schedule.done.run'))
        : replyStale(request, context);
    case 'delete':
      await context.schedules.remove(interaction, id);
      logChange('deleted', schedule, request, context);
      return reply(localize(locale, 'schedule.done.deleted'));
    default:
      return replyStale(request, context);
  }
};

/** Far more than runs that end between two requests to the table. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a schedule as it is now: a run that ends meanwhile sets the next one. Resolves with the changed schedule; undefined if it is removed, or if `toNext`
 * returns undefined. Rejects if it changes all the time; the queue then repeats the task.
 */
async function reschedule(
  schedule: Schedule,
  toNext: (current: Schedule) => (Pick<Schedule, 'dueMs'> & { readonly isPaused: boolean }) | undefined,
  { schedules }: Pick<CommandsContext, 'schedules'>,
): Promise<Schedule | undefined> {
  let current: Schedule | undefined = schedule;
  for (let attempt = 1; current && attempt <= MAX_ATTEMPTS; attempt += 1) {
    const next = toNext(current);
    if (!next) return undefined;
    if (await schedules.reschedule(current, next)) return { ...current, ...next };
    current = await schedules.find(schedule, schedule.id);
  }
  if (current) throw new Error('the schedule changes all the time');
  return undefined;
}

/** Makes a schedule due at the moment of the click; so a repeated delivery requests the same run. Resolves with false if it is removed or paused. */
async function runNow(
  schedule: Schedule,
  request: InteractionRequest,
  context: CommandsContext,
): Promise<boolean> {
  const clickedAt = request.interaction.receivedAt ?? context.time.now();
  const dueMs = Math.floor(clickedAt / 1_000) * 1_000;
  const toNext = ({ isPaused }: Schedule) => (isPaused ? undefined : { dueMs, isPaused: false });
  const requested = await reschedule(schedule, toNext, context);
  if (!requested) return false;
  logChange('requested', schedule, request, context);
  // If this fails, the sweeper enqueues it within a minute.
  await enqueueScheduledRun(requested, context.queue);
  return true;
}

/** Formats two requests, as they are typed here. */
function formatExamples(request: InteractionRequest, { settings }: CommandsContext): string {
  const { locale, interaction } = request;
  const format = getCommandFormat(interaction);
  const what = localize(locale, texts['example.what']);
  const digest = [
    formatOption(texts['days.name'], 'monday', format, texts['days=monday']),
    formatOption(texts['at.name'], '9:00', format),
    formatOption(texts['digest.name'], 'week', format, texts['digest=week']),
  ];
  return [[formatChoice(texts['what.name'], what, format)], digest]
    .map((args) => `\`${formatCommand(texts.name, format, settings, ...args)}\``)
    .join(' · ');
}

/** Formats the command by which an administrator allows schedules in the workspace. */
function allowCommand({ interaction }: InteractionRequest, { settings }: CommandsContext): string {
  const format = getCommandFormat(interaction);
  return formatCommand(
    settingsLabel,
    format,
    settings,
    formatChoice(nameLabel, 'schedules', format),
    formatChoice(valueLabel, 'all', format),
    formatOption(forWhomLabel, 'workspace', format, workspaceLabel),
  );
}

export const texts = scheduleTexts satisfies TextsOf<typeof spec>;
