import { expect, test } from '@jest/globals';
import { messageId } from '../../../shared/domain/index.ts';
import { AnswerFiles, Erasure } from '../../../shared/storage/index.ts';
import { TURN } from '../../chat/completion-harness.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const store = () => {
  const dynamo = createMemoryDynamo();
  let ms = 5_000;
  const config = { dynamo, table: 'conversations', days: 30, now: () => ms };
  return { dynamo, config, files: new AnswerFiles(config), wait: (by: number) => void (ms += by) };
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

test('a claim whose request was given up goes to one other request, unless there is a message', async () => {
  const { files, wait } = store();
  const { id } = await files.claim(TURN, FILE, 'first');
  wait(19 * 60_000);
  expect(await files.claim(TURN, FILE, 'second')).toMatchObject({ earlier: { claim: 'first' } });
  wait(2 * 60_000);
  expect(await files.claim(TURN, FILE, 'third')).toEqual({ id });
  expect(await files.claim(TURN, FILE, 'fourth')).toMatchObject({ earlier: { claim: 'third' } });
  await files.addMessage(TURN, id, messageId('2.2'));
  wait(60 * 60_000);
  expect(await files.claim(TURN, FILE, 'fifth')).toMatchObject({
    earlier: { claim: 'third', messages: ['2.2'] },
  });
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
