import { expect, test } from '@jest/globals';
import { messageId } from '../../../shared/domain/index.ts';
import { AnswerFiles, Erasure } from '../../../shared/storage/index.ts';
import { TURN } from '../../chat/completion-harness.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const store = () => {
  const dynamo = createMemoryDynamo();
  const config = { dynamo, table: 'conversations', days: 30, now: () => 5_000 };
  return { dynamo, config, files: new AnswerFiles(config) };
};
const scan = () => Promise.reject(new Error('nothing is scanned'));
const FILE = { name: 'answer.md', text: 'Yes.' };

test('one request claims a file, another one finds its messages; another text is another file', async () => {
  const { files } = store();
  const { id, earlier } = await files.claim(TURN, FILE, 'first');
  expect(earlier).toBeUndefined();
  expect(await files.claim(TURN, FILE, 'second')).toMatchObject({
    id,
    earlier: { claim: 'first', messages: [] },
  });
  await files.addMessage(TURN, id, messageId('2.2'));
  await files.addMessage(TURN, id, messageId('2.2'));
  expect(await files.claim(TURN, FILE, 'second')).toMatchObject({
    id,
    earlier: { claim: 'first', messages: ['2.2'] },
  });
  expect(await files.claim(TURN, { ...FILE, text: 'No.' }, 'third')).not.toHaveProperty('earlier');
  expect(await files.list({ ...TURN, message: messageId('1.11') })).toEqual([]);
  await files.release(TURN, id);
  expect(await files.claim(TURN, FILE, 'fourth')).not.toHaveProperty('earlier');
});

test('the erasure of a thread deletes the messages with the files', async () => {
  const { files, dynamo, config } = store();
  const { id } = await files.claim(TURN, FILE, 'first');
  await files.addMessage(TURN, id, messageId('2.2'));
  expect(dynamo.items('conversations')).toMatchObject([
    { by: { S: 'U1' }, ttl: { N: String(5 + 30 * 86_400) } },
  ]);
  const removed: unknown[] = [];
  const erasure = new Erasure({ ...config, scan, isIndexComplete: () => Promise.resolve(true) });
  await erasure.threadPage(TURN.thread, TURN.asker, undefined, {
    deleteMessages: async (thread, messages) => void removed.push([thread, messages]),
    eraseJobs: async () => undefined,
  });
  expect(removed).toEqual([[TURN.thread, ['2.2']]]);
  expect(dynamo.items('conversations')).toEqual([]);
});
