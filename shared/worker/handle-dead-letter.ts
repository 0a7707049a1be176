import {
  type FailureNoticeTask,
  type Interaction,
  type InteractionTask,
  type IntegrationAskTask,
  parseTranscriptionTask,
  parseTask,
  type RegenerateTask,
  type Task,
  getTaskTurnRef,
  type TaskResult,
} from '../domain/index.ts';
import { giveUpIntegrationQuestion, type GiveUpQuestionContext } from '../integrations/index.ts';
import { enqueueMessageErasure } from '../privacy/index.ts';
import { enqueueNamedTask, enqueueTask } from '../task-queue/index.ts';
import type { Queue } from '../aws/index.ts';
import { ConditionFailedError, type Recordings } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import {
  type FailureNoticeContext,
  isAboutMergedQuestion,
  postFailureNotice,
  RECONCILE_AFTER_MS,
  removesQuestion,
} from '../chat/index.ts';
import { type Facts, TASKS } from '../runtime/index.ts';
import { replyCard, textCard } from '../commands/index.ts';
import { resolveInteractionLocale, getTurnSettingsPlace } from '../settings/index.ts';
import type { WorkerContext } from './dispatch-task.ts';
import { handleTranscriptionDeadLetter } from '../voice/index.ts';

export type DeadLetterContext = FailureNoticeContext &
  GiveUpQuestionContext &
  Pick<WorkerContext, 'userProfile'> & {
    readonly recordings: Pick<Recordings, 'find' | 'listByMessage' | 'listChunks' | 'remove'>;
    readonly queue: Queue;
    readonly settingsStore: Pick<WorkerContext['settingsStore'], 'layers'>;
  };

/** A change of an answer, a press of Run, and a question of an integration are queued this often in all, so retried twice; then they stay as they are. */
const MAX_ROUNDS = 3;

/** Queues a change again, or ends it. An edited question that has no answer yet gets a failure notice: its first text is never answered. */
async function retryChange(task: RegenerateTask, { queue, turns, time }: DeadLetterContext): Promise<void> {
  const round = task.round + 1;
  if (round < MAX_ROUNDS) return enqueueTask({ ...task, round }, `${task.key}-${round}`, queue);
  try {
    // Its attempts may have shown a part of another answer.
    await turns.scheduleReconcile(getTaskTurnRef(task), time.now() + RECONCILE_AFTER_MS);
  } catch (error) {
    // The turn is gone.
    if (error instanceof ConditionFailedError) return;
    throw error;
  }
  const { v, key, change } = task;
  if (change.kind !== 'edited' || isAboutMergedQuestion(task) || removesQuestion(task)) return;
  const { question, attachments, mayHaveFiles } = change;
  const content = { question, attachments, mayHaveFiles, edit: key };
  const notice = { v, ...getTaskTurnRef(task), kind: 'apologise' as const, ...content };
  await enqueueTask(notice, key, queue);
}

/**
 * A task of another version is kept this long (ms): during a deployment, it may have been given up by a worker of the new version or before one could
 * read it, and this function reads it when it is of that version too. Shorter than what raises the alarm `dead-letter-stuck`.
 */
const KEEP_UNREADABLE_MS = 1_000 * TASKS.maxWaitSeconds;

const keepUnreadable = (sentAtMs = 0, { time }: Pick<DeadLetterContext, 'time'>): TaskResult =>
  time.now() - sentAtMs < KEEP_UNREADABLE_MS ? { kind: 'later', afterMs: 60_000 } : { kind: 'done' };

const describeTask = (task: Task | undefined): Facts =>
  task ? { kind: task.kind, ...task.thread, message: task.message } : { kind: 'unreadable' };

/**
 * Handles a task that the queue gave up. Further work goes through the queue in the order of the thread: a worker may be answering the
 * next question there, and two workers would mistake each other's messages for their own. Only a failure notice that also failed is
 * posted right here. `sentAtMs`: when the dead letter was sent (ms since 1970); resolves with `later` for a task of another version that was sent recently.
 */
export async function handleDeadLetter(
  body: string,
  context: DeadLetterContext,
  sentAtMs?: number,
): Promise<TaskResult> {
  const recording = parseTranscriptionTask(body);
  if (recording) return handleTranscriptionDeadLetter(recording, context);
  const task = parseTask(body);
  context.log('task.dead-lettered', describeTask(task));
  switch (task?.kind) {
    case 'apologise': {
      const layers = await context.settingsStore.layers(getTurnSettingsPlace(task));
      // Outside the order of its thread: the worker that holds the turn may still be alive.
      const known = { ...context, settings: { ...context.settings, layers } };
      return postFailureNotice(task, known, { isRedelivery: false });
    }
    case 'ask': {
      const { receivedAt: _, searchToken: __, ...askTask } = task;
      const apology: FailureNoticeTask = { ...askTask, kind: 'apologise' };
      await enqueueTask(apology, '', context.queue);
      break;
    }
    case 'redo':
      await retryChange(task, context);
      break;
    // The former text would stay otherwise.
    case 'reindex':
      await enqueueMessageErasure(task.thread, task.message, context.queue);
      break;
    case 'erase': {
      // An erasure is retried without limit.
      const round = task.round + 1;
      await enqueueNamedTask({ ...task, round }, String(round), context.queue);
      break;
    }
    case 'integration-ask':
      await retryOrGiveUpQuestion(task, context);
      break;
    case 'invoked':
      return retryOrGiveUp(task, context);
    case 'export':
      return giveUpInteraction(task.interaction, context);
    // The integration reads the answer with GET.
    case 'webhook':
    // The person begins their sign-in again.
    case 'connect':
    // The sweeper enqueues another look while the job is open.
    case 'video':
    // It stays due, and the sweeper enqueues it again until it counts as missed.
    case 'scheduled':
    // The turn stays marked, and the sweeper enqueues another look.
    case 'reconcile':
      break;
    case undefined:
      return keepUnreadable(sentAtMs, context);
  }
  return { kind: 'done' };
}

async function retryOrGiveUpQuestion(task: IntegrationAskTask, context: DeadLetterContext): Promise<void> {
  const round = (task.round ?? 0) + 1;
  if (round >= MAX_ROUNDS) await giveUpIntegrationQuestion(task, context);
  else await enqueueNamedTask({ ...task, round }, `given-up-${round}`, context.queue);
}

const isRunOfCall = ({ payload }: Interaction): boolean =>
  payload.kind === 'action' && payload.action.name === 'tools.run';

/**
 * Delivers a press of Run again; whoever made another interaction is told. A call that a dead worker has claimed is never sent a second time: it ends as `unknown`, and its card says so, instead of
 * offering Run for ever.
 */
async function retryOrGiveUp(task: InteractionTask, context: DeadLetterContext): Promise<TaskResult> {
  const round = (task.round ?? 0) + 1;
  if (!isRunOfCall(task.interaction) || round >= MAX_ROUNDS)
    return giveUpInteraction(task.interaction, context);
  await enqueueTask({ ...task, round }, `given-up-${round}`, context.queue);
  return { kind: 'done' };
}

/** Tells the person while their interaction token is valid; Discord would show "thinking" for 15 minutes. */
async function giveUpInteraction(interaction: Interaction, context: DeadLetterContext): Promise<TaskResult> {
  // The reaction may not have been meant for the bot: nobody is told.
  if (interaction.payload.kind === 'reacted') return { kind: 'done' };
  const locale = await resolveInteractionLocale(interaction, context);
  return replyCard({ interaction, locale }, textCard(localize(locale, 'commands.gave-up'), 'bad'), context);
}
