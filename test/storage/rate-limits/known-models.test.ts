import { expect, test } from '@jest/globals';
import { readKnownModels } from '../../../shared/storage/rate-limits/known-models.ts';
import { createModelListWriter } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const MODELS = [
  { id: 'a', about: '8K' },
  { id: 'b/c', about: '' },
];

test('the list is written after a change or a long time, and read unchanged', async () => {
  const dynamo = createMemoryDynamo();
  let [now, puts] = [0, 0];
  const keep = createModelListWriter({
    dynamo: { get: (input) => dynamo.get(input), put: (input) => ((puts += 1), dynamo.put(input)) },
    table: 'conversations',
    now: () => now,
  });
  const read = () =>
    readKnownModels(async () => ({ Item: dynamo.items('conversations')[0] }), 'conversations');
  expect(await read()).toEqual([]);
  await keep(MODELS);
  await keep(MODELS);
  expect(await read()).toEqual(MODELS);
  // A failed list says nothing about the models.
  await keep([]);
  expect([await read(), puts]).toEqual([MODELS, 1]);
  await keep(MODELS.slice(1));
  expect([await read(), puts]).toEqual([MODELS.slice(1), 2]);
  now += 3_600_000;
  await keep(MODELS.slice(1));
  expect(puts).toBe(3);
});

test('a new process does not write a list that is stored already', async () => {
  const dynamo = createMemoryDynamo();
  let puts = 0;
  const process = () =>
    createModelListWriter({
      dynamo: { get: (input) => dynamo.get(input), put: (input) => ((puts += 1), dynamo.put(input)) },
      table: 'conversations',
      now: () => 0,
    });
  await process()(MODELS);
  await process()(MODELS);
  expect(puts).toBe(1);
  await process()(MODELS.slice(1));
  expect(puts).toBe(2);
});

test.each([
  [undefined],
  [{}],
  [{ Item: { list: { S: '{}' } } }],
  [{ Item: { list: { S: '[1, ["a"], ["b", 2]]' } } }],
])('a malformed stored list counts as empty: %j', async (answer) => {
  expect(await readKnownModels(async () => answer, 't')).toEqual([]);
});
