import {
  answerQuestion,
  type ChatContext,
  withClaim,
  releaseClaim,
  postFailureNotice,
  reconcile,
  regenerateAnswer,
  resolveAttachments,
  returnIfStillQueued,
} from '../chat/index.ts';
import {
  type CommandsContext,
  dispatchInteraction,
  formatWeeklyCommand,
  runScheduledDigest,
  runScheduledPrompt,
} from '../commands/index.ts';
import { type PrivacyContext, erase, runExport } from '../privacy/index.ts';
import { type VideoContext, createVideoTools, advanceJob } from '../video/index.ts';
import { createVoiceTools, enqueueTranscription } from '../voice/index.ts';
import {
  type AskTask,
  type Attachment,
  isIntegration,
  getTaskTurnRef,
  type QueueDelivery,
  type RegenerateTask,
  splitRecordings,
  type TaskResult,
  parseTask,
  type Task,
  type TurnRef,
} from '../domain/index.ts';
import { reindexMessage } from '../knowledge/index.ts';
import { runSchedule, type SchedulesContext } from '../schedules/index.ts';
import { deliverWeeklySummary } from '../weekly-summary/index.ts';
import { findAccessRefusal, hasEnabledTools, isSilent } from '../settings/rules/index.ts';
import {
  resolveLocale,
  resolveTurnLocale,
  getInteractionSettingsPlace,
  getTurnSettingsPlace,
  withSettings,
} from '../settings/index.ts';
import type { ChatTool, ToolQuestion } from '../ports/index.ts';
import {
  deliverWebhook,
  enqueueWebhook,
  type IntegrationsContext,
  postIntegrationQuestion,
} from '../integrations/index.ts';
import { endSignIn, loadEnabledTools, type ToolsContext } from '../tools/index.ts';
import { localize, localizeRefusal } from '../i18n/index.ts';
import {
  findBotRefusal,
  findIntegrationRefusal,
  type RejectContext,
  type RejectedRequest,
} from './find-refusal.ts';
import { needsLargeWorker } from './needs-large-worker.ts';
import { removeProposedCalls } from './remove-proposed-calls.ts';

/** What a task may need: the contexts of all features that the worker starts. */
export type WorkerContext = ChatContext &
  VideoContext &
  PrivacyContext &
  ToolsContext &
  CommandsContext &
  SchedulesContext &
  IntegrationsContext;

/** What a process has before it knows the task. */
export type ProcessContext = Omit<WorkerContext, 'deployment' | 'featureTools'>;

/** The context of a task: that of its process, with the deployment's settings and the tools of all features. */
export const toTaskContext = (processContext: ProcessContext): WorkerContext => ({
  ...processContext,
  deployment: processContext,
  featureTools: (question, settings) => featureTools(question, { ...processContext, settings }),
});

/** Tools of the features besides chat: videos, recordings, and the sources that administrators turned on here. */
async function featureTools(question: ToolQuestion, context: ProcessContext): Promise<readonly ChatTool[]> {
  const { turn, pictures, rootIsOurs } = question;
  // An integration can confirm no price and press no button.
  const own = isIntegration(turn.asker)
    ? []
    : [
        ...(context.videos.enabled ? createVideoTools(turn, pictures, context) : []),
        ...createVoiceTools(turn, rootIsOurs, context),
      ];
  return hasEnabledTools(context.settings.layers)
    ? [...own, ...(await loadEnabledTools(question, context))]
    : own;
}

/**
 * Rejects a question that is not allowed here: posts an ephemeral refusal and removes the turn. In silent mode, only people
 * who used a command get a reply; bots never do. Returns undefined if the question is allowed.
 */
export async function rejectUnauthorized(
  task: AskTask,
  context: RejectContext,
  delivery: Pick<QueueDelivery, 'isRedelivery' | 'queueMessage'>,
): Promise<TaskResult | undefined> {
  const isSilenced = isSilent(context.settings.layers);
  const refusal = await (task.bot
    ? findBotRefusal(task, context, delivery)
    : findPersonRefusal(task, context));
  if (!isSilenced && !refusal) return undefined;
  const turn = getTaskTurnRef(task);
  const { isRedelivery, queueMessage } = delivery;
  return withClaim(turn, { context, isRedelivery, queueMessage }, async (claim) => {
    if (claim.ended) return releaseClaim(turn, claim, context);
    // A person who used a command waits for a response; only then the task has a locale.
    const isAwaited = task.locale !== undefined;
    const locale = resolveLocale(context.settings.layers, task.locale);
    const silence = isAwaited ? localize(locale, 'settings.refused.silent') : undefined;
    const words = refusal ? refusal.words : silence;
    if (words !== undefined) await context.platform.postEphemeral(turn, turn.asker, words, true);
    await context.turns.remove(turn, claim.fence);
    return { kind: 'done' };
  });
}

async function findPersonRefusal(
  task: AskTask,
  context: RejectContext,
): Promise<RejectedRequest | undefined> {
  const { asker: user, thread } = task;
  if (isIntegration(user)) return findIntegrationRefusal(task, context);
  const refusal = await findAccessRefusal({ user, channel: thread.channel }, context.settings.layers, () =>
    context.memberRoles(thread, user),
  );
  if (!refusal) return undefined;
  const locale = await resolveTurnLocale(getTaskTurnRef(task), context);
  return { words: localizeRefusal(refusal, { platform: thread.platform, locale }) };
}

/**
 * A task that this version cannot read comes from the version that is being deployed, or the previous one, which runs within
 * minutes. If not, the task becomes a dead letter, which raises an alarm.
 */
export const OTHER_VERSION: TaskResult = { kind: 'later', afterMs: 60_000 };

/** Runs the task in a message of the queue. */
export async function dispatchTask(
  body: string,
  processContext: ProcessContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const context = toTaskContext(processContext);
  const task = parseTask(body);
  if (!task) {
    context.log('task.unreadable', { messageId: delivery.queueMessage, bytes: body.length });
    return OTHER_VERSION;
  }
  const place =
    task.kind === 'invoked' ? getInteractionSettingsPlace(task.interaction) : getTurnSettingsPlace(task);
  const here = await withSettings(place, context, task.kind === 'invoked');
  if (context.movesLarge && needsLargeWorker(task, context.memory))
    return leaveToAnother(task, here, delivery);
  switch (task.kind) {
    case 'erase':
      return erase(task, context, delivery);
    case 'export':
      return runExport(task, context, delivery);
    case 'ask':
      return tellIntegration(
        task,
        (await rejectUnauthorized(task, here, delivery)) ?? (await answerTask(task, here, delivery)),
        here,
      );
    case 'apologise':
      return tellIntegration(task, await postFailureNotice(task, here, delivery), here);
    case 'reconcile':
      return reconcile(task, here, delivery);
    case 'redo':
      if (task.change.kind !== 'edited') return regenerateAnswer(task, here, delivery);
      await removeProposedCalls(task, here);
      return regenerateEdited({ ...task, change: task.change }, here, delivery);
    case 'video':
      return advanceJob(task, here);
    case 'reindex':
      return reindexMessage(task, here);
    case 'connect':
      return endSignIn(task, here);
    case 'webhook':
      return deliverWebhook(task, here, delivery);
    case 'integration-ask':
      return postIntegrationQuestion(task, here);
    case 'invoked':
      return dispatchInteraction(task, here, delivery);
    case 'scheduled':
      return runSchedule(
        task,
        here,
        {
          'weekly-summary': (run) => deliverWeeklySummary(run, here, formatWeeklyCommand),
          prompt: (run) => runScheduledPrompt(run, here),
          digest: (run) => runScheduledDigest(run, here, delivery),
        },
        delivery,
      );
  }
}

/** Tells an integration that the answer to its question has ended. A repeated task tells it again, with the same id. */
async function tellIntegration(task: Task, result: TaskResult, context: WorkerContext): Promise<TaskResult> {
  if (result.kind === 'done') await enqueueWebhook(getTaskTurnRef(task), { kind: 'answer' }, context);
  return result;
}

/** Leaves a task to the large worker. A question whose turn in the wait queue is far off only goes back to the queue. */
async function leaveToAnother(
  task: Task,
  context: WorkerContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const waits =
    task.kind === 'ask' ? await returnIfStillQueued(getTaskTurnRef(task), context, delivery) : undefined;
  return waits ?? { kind: 'too-large' };
}

/**
 * Answers a question. If it has recordings that nobody has transcribed (they turned out to be some, or came with a command), they are
 * transcribed first, and the question returns with the transcript. Not for another bot, whose question would return as a person's, nor where
 * no transcript can be posted.
 */
async function answerTask(task: AskTask, context: ChatContext, delivery: QueueDelivery): Promise<TaskResult> {
  const turn = getTaskTurnRef(task);
  // Each delivery would look for the files again.
  const queued = task.mayHaveFiles ? await returnIfStillQueued(turn, context, delivery) : undefined;
  if (queued) return queued;
  const withInfo = { ...task, attachments: await resolveFiles(task, turn, context, true) };
  if (needsLargeWorkerNow(withInfo, context)) return { kind: 'too-large' };
  const { recordings, others } = splitRecordings(withInfo);
  const isTranscribed = recordings.every((one) => one.isTranscribed);
  if (isTranscribed || task.bot || !context.messenger.canPost(task.thread))
    return answerQuestion(withInfo, context, delivery);
  const { question, receivedAt, edit, model, locale } = task;
  const fields = { question, attachments: others, receivedAt, edit, model, locale, wasQueued: true };
  const { queue, recordings: recordingStore } = context.transcription;
  await enqueueTranscription(
    { v: 1, kind: 'hear', ...turn, locale, recordings, request: { kind: 'ask', ...fields } },
    'again',
    queue,
    recordingStore,
  );
  return { kind: 'done' };
}

type EditTask = RegenerateTask & {
  readonly change: Extract<RegenerateTask['change'], { readonly kind: 'edited' }>;
};

/** Answers an edited question again, with the files that its message has now. */
async function regenerateEdited(
  task: EditTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const edited = { ...getTaskTurnRef(task), message: task.change.editedMessage };
  const attachments = await resolveFiles(task.change, edited, context);
  const withInfo = { ...task, change: { ...task.change, attachments } };
  if (needsLargeWorkerNow(withInfo, context)) return { kind: 'too-large' };
  return regenerateAnswer(withInfo, context, delivery);
}

/** Whether the task needs the large worker, now that its files are known. */
const needsLargeWorkerNow = (task: Task, { movesLarge, memory }: ChatContext): boolean =>
  movesLarge && needsLargeWorker(task, memory);

/** The files of a question, with their metadata: those of its task where the platform shows none. `withThread`: see `FileDownloader.listFiles`. */
async function resolveFiles(
  {
    attachments,
    mayHaveFiles,
  }: { readonly attachments: readonly Attachment[]; readonly mayHaveFiles?: boolean | undefined },
  turn: TurnRef,
  { platform }: Pick<ChatContext, 'platform'>,
  withThread = false,
): Promise<Attachment[]> {
  const files = (mayHaveFiles && (await platform.listFiles(turn, withThread))) || attachments;
  return files.length === 0 ? [] : resolveAttachments(turn.thread, files, platform);
}
