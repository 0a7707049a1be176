import {
  type FailureNoticeTask,
  type Interaction,
  parseTranscriptionTask,
  parseTask,
} from '../domain/index.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import type { Recordings } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { type FailureNoticeContext, postFailureNotice } from '../chat/answer/post-failure-notice.ts';
import { replyCard, textCard } from '../commands/framework/types.ts';
import { resolveInteractionLocale } from '../settings/resolve-locale.ts';
import type { WorkerContext, TaskResult } from '../context/ports.ts';
import { enqueueTask } from '../task-queue/enqueue.ts';
import { settingsPlaceOfTurn } from '../settings/load-settings.ts';
import { handleTranscriptionDeadLetter } from '../voice/transcription/handle-dead-letter.ts';

export type DeadLetterContext = FailureNoticeContext &
  Pick<WorkerContext, 'userProfile'> & {
    readonly recordings: Pick<Recordings, 'of' | 'remove'>;
    readonly queue: Queue;
    readonly settingsStore: Pick<WorkerContext['settingsStore'], 'layers'>;
  };

/** What changes an answer is tried this many rounds; after that the answer stays as it is. */
const MAX_ROUNDS = 3;

/**
 * Deals with a task that the queue gave up. All goes back through the queue, in line with the thread: by now the next
 * question may be being answered there, and two workers would take each other's messages for their own. Only an apology
 * that failed as often as the question is made right here.
 */
export async function handleDeadLetter(body: string, context: DeadLetterContext): Promise<TaskResult> {
  const recording = parseTranscriptionTask(body);
  if (recording) return handleTranscriptionDeadLetter(recording, context);
  const task = parseTask(body);
  context.log('task.dead', { kind: task?.kind ?? 'unreadable', message: task?.message });
  switch (task?.kind) {
    case 'apologise': {
      const layers = await context.settingsStore.layers(settingsPlaceOfTurn(task));
      // Outside the line of its thread: whoever holds the turn may be alive.
      const known = { ...context, settings: { ...context.settings, layers } };
      return postFailureNotice(task, known, { isRedelivery: false });
    }
    case 'ask': {
      const { receivedAt: _, attachments: __, ...asked } = task;
      const apology: FailureNoticeTask = { ...asked, kind: 'apologise' };
      await enqueueTask(apology, '', context.queue);
      break;
    }
    case 'redo': {
      const round = task.round + 1;
      if (round < MAX_ROUNDS) await enqueueTask({ ...task, round }, `${task.key}-${round}`, context.queue);
      break;
    }
    case 'erase': {
      // What was asked to be forgotten is forgotten, however long it takes.
      const round = task.round + 1;
      await enqueueTask({ ...task, round }, String(round), context.queue);
      break;
    }
    case 'invoked':
      // A reaction may have meant nothing to the bot: people are not spoken to for that.
      if (task.invocation.call.kind === 'reacted') break;
      return giveUpInteraction(task.invocation, context);
    case 'export':
      return giveUpInteraction(task.wanted, context);
    // The sweeper asks for another look for as long as the job is open.
    case 'video':
    // The mark on the turn stays, and the sweeper asks for another look.
    case 'reconcile':
    case undefined:
  }
  return { kind: 'done' };
}

/** Who called is told while their ticket lasts; Discord would show them for a quarter of an hour that it is thinking. */
async function giveUpInteraction(invocation: Interaction, context: DeadLetterContext): Promise<TaskResult> {
  const locale = await resolveInteractionLocale(invocation, context);
  return replyCard({ invocation }, textCard(localize(locale, 'commands.gave-up'), 'bad'), context);
}
