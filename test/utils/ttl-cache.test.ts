import { expect, test } from '@jest/globals';
import { TtlCache } from '../../shared/utils/ttl-cache.ts';

function createCache(maxEntries?: number) {
  const clock = { now: 0 };
  const reads: string[] = [];
  const cache = new TtlCache<string>({ now: () => clock.now, ttlMs: 100, ...(maxEntries && { maxEntries }) });
  const read = async (key: string) => {
    reads.push(key);
    return `${key}${reads.length}`;
  };
  return { cache, clock, reads, read };
}

test('a cache reads a value again when its time is over', async () => {
  const { cache, clock, read } = createCache();
  await expect(cache.get('a', read)).resolves.toBe('a1');
  clock.now = 99;
  await expect(cache.get('a', read)).resolves.toBe('a1');
  clock.now = 100;
  await expect(cache.get('a', read)).resolves.toBe('a2');
});

test('concurrent reads of a key share one read', async () => {
  const { cache, reads, read } = createCache();
  await Promise.all([cache.get('a', read), cache.get('a', read), cache.get('b', read)]);
  expect(reads).toEqual(['a', 'b']);
});

test('a failed read is not cached', async () => {
  const { cache, read } = createCache();
  await expect(cache.get('a', () => Promise.reject(new Error('offline')))).rejects.toThrow('offline');
  await expect(cache.get('a', read)).resolves.toBe('a1');
});

test('a read that fails late does not remove a newer value', async () => {
  const { cache, read } = createCache();
  const late = Promise.withResolvers<string>();
  const failed = cache.get('a', () => late.promise);
  await cache.refresh('a', read);
  late.reject(new Error('offline'));
  await expect(failed).rejects.toThrow('offline');
  await expect(cache.get('a', read)).resolves.toBe('a1');
});

test('a refreshed value replaces the cached one', async () => {
  const { cache, read } = createCache();
  await cache.get('a', read);
  await expect(cache.refresh('a', read)).resolves.toBe('a2');
  await expect(cache.get('a', read)).resolves.toBe('a2');
});

test('a deleted value is read again', async () => {
  const { cache, read } = createCache();
  await cache.get('a', read);
  cache.delete('a');
  await expect(cache.get('a', read)).resolves.toBe('a2');
});

test('a full cache removes the entry that expires first', async () => {
  const { cache, reads, read } = createCache(2);
  await cache.get('a', read);
  await cache.get('b', read);
  await cache.refresh('a', read);
  await cache.get('c', read);
  reads.length = 0;
  await cache.get('a', read);
  await cache.get('c', read);
  expect(reads).toEqual([]);
  await cache.get('b', read);
  expect(reads).toEqual(['b']);
});
