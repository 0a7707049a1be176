import { beforeEach, expect, test } from '@jest/globals';
import { EditFilter } from '../../../../../shared/platforms/discord/gateway/events/edit-filter.ts';

const MINUTE = 60_000;
let now: number;
let edits: EditFilter;
beforeEach(() => {
  now = 1_790_000_000_000;
  edits = new EditFilter(() => now);
});

test('an edit is accepted once, and so is each later edit of its message', () => {
  const first = now;
  expect([edits.accept('1', first), edits.accept('2', first), edits.accept('1', first)]).toEqual([
    true,
    true,
    false,
  ]);
  now += MINUTE;
  expect([edits.accept('1', now), edits.accept('1', now)]).toEqual([true, false]);
});

test('an edit that arrives after a later edit of its message is not accepted', () => {
  expect([edits.accept('1', now), edits.accept('1', now - 1)]).toEqual([true, false]);
});

test('an edit is accepted until 15 minutes after it was made', () => {
  expect(edits.accept('1', now - 15 * MINUTE)).toBe(true);
  expect(edits.accept('2', now - 15 * MINUTE - 1)).toBe(false);
});

test('an edit without a readable time is not accepted', () => {
  expect(edits.accept('1', Number.NaN)).toBe(false);
});

test('a repeated edit is recognized as long as its age allows it, whatever was edited meanwhile', () => {
  const editedAt = now;
  edits.accept('1', editedAt);
  for (let minute = 1; minute <= 15; minute += 1) {
    now += MINUTE;
    edits.accept(`other-${minute}`, now);
  }
  expect(edits.accept('1', editedAt)).toBe(false);
});

test('remembered edits are removed once they are too old, and the oldest of too many', () => {
  for (let id = 0; id < 6_000; id += 1) edits.accept(String(id), now);
  expect(edits.size).toBe(5_000);
  expect([edits.accept('5999', now), edits.accept('0', now)]).toEqual([false, true]);
  now += 16 * MINUTE;
  edits.accept('1', now);
  expect(edits.size).toBe(1);
});
