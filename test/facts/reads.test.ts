import { expect, test } from '@jest/globals';
import { ADA, ADMIN, DIRECT, memoryHarness } from './memory-harness.ts';

test('a question reads one item more for a person with memory, and none for everybody else', async () => {
  const at = await memoryHarness();
  let reads: string[] = [];
  const { dynamo } = at;
  const [get, query] = [dynamo.get.bind(dynamo), dynamo.query.bind(dynamo)];
  Object.assign(dynamo, {
    get: (input: Parameters<typeof get>[0]) => {
      reads.push(String(input.Key?.['pk']?.S));
      return get(input);
    },
    query: (input: Parameters<typeof query>[0]) => {
      reads.push(String(input.ExpressionAttributeValues?.[':pk']?.S));
      return query(input);
    },
  });
  const readsOf = async (channel?: string) => {
    reads = [];
    await at.ask('Hello?', channel === undefined ? {} : { channel });
    // Settings are cached for half a minute, webhooks for a minute; signals of the thread are read every second.
    return reads.filter((pk) => !/^(?:SETTINGS|INTEGRATIONS|slack)#/u.test(pk));
  };
  const without = await readsOf();
  expect(without.filter((pk) => pk.startsWith('FACTS#'))).toEqual([]);
  await at.type('memory add Releases are on Thursdays for:channel', ADMIN);
  expect(await readsOf()).toEqual(without);
  await at.type('memory on', ADA);
  expect(await readsOf(DIRECT)).toEqual(expect.arrayContaining(['FACTS#slack#T1']));
  expect((await readsOf()).toSorted()).toEqual([...without, 'FACTS#slack#T1'].toSorted());
});
