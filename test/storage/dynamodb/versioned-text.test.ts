import { expect, test } from '@jest/globals';
import { GatewayCheckpoints, VersionedText } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

test('a write that is not based on the last version fails', async () => {
  const dynamo = createMemoryDynamo();
  const [mine, theirs] = [1, 2].map(() => new VersionedText(dynamo, 'tokens', 'shards'));
  if (!mine || !theirs) throw new Error('there are two');
  expect(await mine.load()).toBeUndefined();
  expect(await mine.save('one', 0)).toBe(true);
  expect(await theirs.save('another', 0)).toBe(false);
  expect(await theirs.load()).toEqual({ text: 'one', version: 1 });
  expect(await theirs.save('two', 1)).toBe(true);
  expect(await mine.save('three', 1)).toBe(false);
  expect(await mine.load()).toEqual({ text: 'two', version: 2 });
});

test('a discarded checkpoint is absent, and exists again when it is saved again', async () => {
  const dynamo = createMemoryDynamo();
  const bookmarks = new GatewayCheckpoints(dynamo, 'tokens', 'discord');
  await bookmarks.save('here');
  expect(await bookmarks.load()).toBe('here');
  await bookmarks.discard(1_000_000);
  expect(await bookmarks.load()).toBeUndefined();
  expect(dynamo.items('tokens')[0]?.['ttl']).toEqual({ N: '87400' });
  await bookmarks.save('there');
  expect(await bookmarks.load()).toBe('there');
  expect(dynamo.items('tokens')[0]).not.toHaveProperty('ttl');
});
