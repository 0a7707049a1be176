import { expect, test } from '@jest/globals';
import { preload } from '../../../../functions/composition/process/preload.ts';
import { streamsOnly } from '../../../fakes/streams-only.ts';

const chat = { ...streamsOnly, model: 'm', stream: async function* () {} };
const late = (): Promise<never> => new Promise(() => undefined);

test('a starting worker loads the list of models, which needs the key and the table', async () => {
  let calls = 0;
  await preload({ chat: { ...chat, listModels: async () => ((calls += 1), []) } }, 60_000);
  expect(calls).toBe(1);
});

test.each([
  ['fails', () => Promise.reject(new Error('no key'))],
  ['takes too long', late],
])('a worker starts although this %s', async (_, listModels) => {
  await expect(preload({ chat: { ...chat, listModels } }, 1)).resolves.toBeUndefined();
});
