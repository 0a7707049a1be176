import {
  type ChatContext,
  withClaim,
  releaseClaim,
  answerQuestion,
  postFailureNotice,
  resolveAttachments,
  reconcile,
  regenerateAnswer,
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
  getIntegrationId,
  isIntegration,
  getTaskTurnRef,
  type QueueDelivery,
  type TaskResult,
  type Attachment,
  parseTask,
  splitRecordings,
  type Task,
  type Thread,
} from '../domain/index.ts';
import { reindexMessage } from '../knowledge/index.ts';
import { runSchedule, type SchedulesContext } from '../schedules/index.ts';
import { deliverWeeklySummary } from '../weekly-summary/index.ts';
import { findAccessRefusal, hasEnabledTools, isSilent, getAccessRefusal } from '../settings/rules/index.ts';
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
  describeIntegrationRefusal,
  enqueueWebhook,
  type IntegrationsContext,
  postIntegrationQuestion,
} from '../integrations/index.ts';
import { endSignIn, loadEnabledTools, type ToolsContext } from '../tools/index.ts';
import { localize, localizeRefusal } from '../i18n/index.ts';
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

type RejectContext = Pick<
  ChatContext,
  'turns' | 'time' | 'platform' | 'userProfile' | 'memberRoles' | 'settings' | 'takeBotQuestionPermit'
> & { readonly integrations: { readonly store: Pick<IntegrationsContext['integrations']['store'], 'find'> } };

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

/** `words`: the text for the asker, if any. */
type RejectedRequest = { readonly words?: string };

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

/** Returns why an integration is refused. One that was removed while its question waited can read no answer. */
async function findIntegrationRefusal(
  task: AskTask,
  { settings: { layers }, integrations }: RejectContext,
): Promise<RejectedRequest | undefined> {
  const id = getIntegrationId(task.asker);
  if (id === undefined || !(await integrations.store.find(task.thread, id))) return {};
  const words = describeIntegrationRefusal(task, layers);
  return words === undefined ? undefined : { words };
}

/** Limits questions of bots, so that two bots cannot answer each other endlessly outside of threads. */
async function findBotRefusal(
  task: AskTask,
  context: RejectContext,
  { isRedelivery }: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<RejectedRequest | undefined> {
  const { asker: user, thread } = task;
  const refusal = getAccessRefusal(
    { user, roles: [], channel: thread.channel, admin: false },
    context.settings.layers,
  );
  // The bot allowlist was checked when the message arrived: see `acceptQuestion`.
  if (refusal && refusal !== 'not-allowed') return {};
  // Counted once: a queued question is delivered again.
  if (isRedelivery) return undefined;
  return (await context.takeBotQuestionPermit(task.thread)) ? undefined : {};
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
      return regenerateAnswer(
        { ...task, change: await withFiles(task.change, task.thread, here) },
        here,
        delivery,
      );
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
      return runSchedule(task, here, {
        'weekly-summary': (run) => deliverWeeklySummary(run, here, formatWeeklyCommand),
        prompt: (run) => runScheduledPrompt(run, here),
        digest: (run) => runScheduledDigest(run, here, delivery),
      });
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
async function answerTask(
  task: AskTask,
  context: WorkerContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const withInfo = await withFiles(task, task.thread, context);
  const { recordings, others } = splitRecordings(withInfo);
  const isTranscribed = recordings.every((one) => one.isTranscribed);
  if (isTranscribed || task.bot || !context.messenger.canPost(task.thread))
    return answerQuestion(withInfo, context, delivery);
  const { question, receivedAt, edit, model, locale } = task;
  const fields = { question, attachments: others, receivedAt, edit, model, locale, wasQueued: true };
  const { queue, recordings: recordingStore } = context.transcription;
  await enqueueTranscription(
    { v: 1, kind: 'hear', ...getTaskTurnRef(task), locale, recordings, request: { kind: 'ask', ...fields } },
    'again',
    queue,
    recordingStore,
  );
  return { kind: 'done' };
}

/** Completes the metadata of the files of a question. */
async function withFiles<T extends { readonly attachments: readonly Attachment[] }>(
  source: T,
  thread: Thread,
  { platform }: WorkerContext,
): Promise<T> {
  if (source.attachments.length === 0) return source;
  return { ...source, attachments: await resolveAttachments(thread, source.attachments, platform) };
}
