import { type TranscriptionTask, recordingKey } from '../../domain/index.ts';
import { toLocale, localize } from '../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/platform.ts';
import type { TaskResult } from '../../context/ports.ts';
import { askWithTranscript } from '../ask-with-transcript.ts';
import { failedCard } from '../cards.ts';
import { forgetMessage } from './forget.ts';
import type { VoiceContext } from '../ports.ts';
import { cardKey } from './task-fields.ts';
import { endStatus } from './status.ts';
import { replyToRequester } from '../reply-to-requester.ts';

type TranscriptionDeadLetterContext = Pick<VoiceContext, 'messenger' | 'queue' | 'time' | 'log' | 'signals'> &
  Parameters<typeof forgetMessage>[1];

/**
 * The queue gave recordings up: whoever waits is told, and a question is asked with what there is of it in words. What was to
 * be forgotten is forgotten here: rejects where that fails, to be called again.
 */
export async function handleTranscriptionDeadLetter(
  task: TranscriptionTask,
  context: TranscriptionDeadLetterContext,
): Promise<TaskResult> {
  const { wish } = task;
  context.log('voice.task-dead-lettered', { message: task.message, request: wish.kind });
  if (wish.kind === 'forget') return forgetMessage(task, context);
  const why = localize(toLocale(task.locale), 'voice.failed.gave-up');
  if (wish.kind === 'translate') {
    await endStatus(task.thread, context);
    return replyToRequester(wish, failedCard(why), context);
  }
  const begun = await context.recordings.listByMessage(task.thread, task.message);
  for (const recording of task.recordings) {
    const known = begun.find(({ ref }) => ref.file === recordingKey(recording));
    // The card was the first that was shown of it: it says until now that it is being written out.
    const [card] = known?.messages.toSorted() ?? [];
    const key = cardKey(task, recording);
    await context.messenger.postCard(task.thread, failedCard(why), key, card).catch((error: unknown) => {
      if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
      context.log('voice.card-post-failed', { reason: error.message, channel: task.thread.channel });
    });
  }
  if (wish.kind === 'ask') await askWithTranscript(task, wish, [{ failed: why }], context);
  return { kind: 'done' };
}
