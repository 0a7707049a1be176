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
  const made = voiceHarness();
  const card = async (): Promise<never> => {
    throw error;
  };
  return { ...made, context: { ...made.context, messenger: { ...made.context.messenger, postCard: card } } };
}

test.each([
  ['the bot may not post there', new CannotPostError('no')],
  ['the thread was deleted', new ThreadDeletedError('no')],
])(
  'if %s, the question is queued with the transcript, and no chunk is transcribed twice',
  async (_, error) => {
    const { context, delivery, asked, heard } = refusing(error);
    expect(await runTranscriptionTask(task(ASKS), context, delivery)).toEqual({ kind: 'done' });
    expect(asked.map(({ body }) => parseTask(JSON.stringify(body)))).toMatchObject([
      { kind: 'ask', question: expect.stringContaining('word0 word1 word2') },
    ]);
    expect(heard).toHaveLength(3);
  },
);

test('a transcript that cannot be posted is not retried', async () => {
  const { context, delivery, heard } = refusing(new CannotPostError('no'));
  expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
  expect(heard).toHaveLength(3);
});

test('a temporary posting error is retried', async () => {
  const { context, delivery } = refusing(new Error('a time-out'));
  await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('a time-out');
});

test('a dead letter queues the question even if the failure cannot be posted', async () => {
  const { context, asked } = refusing(new CannotPostError('no'));
  expect(await handleTranscriptionDeadLetter(task(ASKS), context)).toEqual({ kind: 'done' });
  expect(asked).toHaveLength(1);
});
