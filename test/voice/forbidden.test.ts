import { expect, test } from '@jest/globals';
import { parseTask } from '../../shared/domain/index.ts';
import { handleTranscriptionDeadLetter } from '../../shared/voice/transcription/handle-dead-letter.ts';
import { runTranscriptionTask } from '../../shared/worker/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../shared/platforms/ports/platform.ts';
import { rig, task } from './rig.ts';

const ASKS = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const SHOW = { kind: 'show' as const };

/** The flows where no card can be shown. */
function refusing(error: Error) {
  const made = rig();
  const card = async (): Promise<never> => {
    throw error;
  };
  return { ...made, context: { ...made.context, messenger: { ...made.context.messenger, postCard: card } } };
}

test.each([
  ['the bot may not write there', new CannotPostError('no')],
  ['nothing is there any more', new ThreadDeletedError('no')],
])('where %s, a question is asked with what was heard, and it is heard once', async (_, error) => {
  const { context, delivery, asked, heard } = refusing(error);
  expect(await runTranscriptionTask(task(ASKS), context, delivery)).toEqual({ kind: 'done' });
  expect(asked.map(({ body }) => parseTask(JSON.stringify(body)))).toMatchObject([
    { kind: 'ask', question: expect.stringContaining('word0 word1 word2') },
  ]);
  expect(heard).toHaveLength(3);
});

test('a recording that was written out where it cannot be shown is not tried again', async () => {
  const { context, delivery, heard } = refusing(new CannotPostError('no'));
  expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
  expect(heard).toHaveLength(3);
});

test('what only may pass is tried again', async () => {
  const { context, delivery } = refusing(new Error('a time-out'));
  await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('a time-out');
});

test('given up where that cannot be said: the question is asked all the same', async () => {
  const { context, asked } = refusing(new CannotPostError('no'));
  expect(await handleTranscriptionDeadLetter(task(ASKS), context)).toEqual({ kind: 'done' });
  expect(asked).toHaveLength(1);
});
