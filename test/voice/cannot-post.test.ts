import { expect, test } from '@jest/globals';
import { parseTask } from '../../shared/domain/index.ts';
import { handleTranscriptionDeadLetter } from '../../shared/voice/transcription/handle-dead-letter.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../shared/platforms/ports/index.ts';
import { voiceHarness, task } from './voice-harness.ts';

const ASKS = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const SHOW = { kind: 'show' as const };

/** A context in which no card can be posted. */
function refusing(error: Error) {
  const harness = voiceHarness();
  const card = async (): Promise<never> => {
    throw error;
  };
  return {
    ...harness,
    context: { ...harness.context, messenger: { ...harness.context.messenger, postCard: card } },
  };
}

test.each([
  ['the bot may not post there', new CannotPostError('no')],
  ['the thread was deleted', new ThreadDeletedError('no')],
])(
  'if %s, the question is queued with the transcript, and no chunk is transcribed twice',
  async (_, error) => {
    const { context, delivery, tasks, transcriptions } = refusing(error);
    expect(await runTranscriptionTask(task(ASKS), context, delivery)).toEqual({ kind: 'done' });
    expect(tasks.map(({ body }) => parseTask(JSON.stringify(body)))).toMatchObject([
      { kind: 'ask', question: expect.stringContaining('word0 word1 word2') },
    ]);
    expect(transcriptions).toHaveLength(3);
  },
);

test('a transcript that cannot be posted is not retried', async () => {
  const { context, delivery, transcriptions } = refusing(new CannotPostError('no'));
  expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
  expect(transcriptions).toHaveLength(3);
});

test('a transcript whose words a filter blocks is given up, so that its card says so', async () => {
  const { context, delivery } = refusing(new CannotPostError('blocked', { why: 'words-blocked' }));
  await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('blocked');
});

test('a temporary posting error is retried', async () => {
  const { context, delivery } = refusing(new Error('a time-out'));
  await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('a time-out');
});

test('a dead letter queues the question even if the failure cannot be posted', async () => {
  const { context, tasks } = refusing(new CannotPostError('no'));
  expect(await handleTranscriptionDeadLetter(task(ASKS), context)).toEqual({ kind: 'done' });
  expect(tasks).toHaveLength(1);
});
