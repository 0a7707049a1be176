import { expect, test } from '@jest/globals';
import { LruMap } from '../../shared/utils/index.ts';

test('beyond its size, a map loses the entry that was not read or set for the longest time', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  map.set('a', 4);
  map.set('d', 5);
  expect([...map.values()]).toEqual([4, 5]);
});
