import { expect, test } from '@jest/globals';
import { findLostReceives } from './lost-receives.ts';

const START = Date.UTC(2026, 0, 1);
const line = (messageId: string, event: string, seconds: number): string =>
  JSON.stringify({ timestamp: new Date(START + seconds * 1_000).toISOString(), event, messageId });

const lostAt = (seconds: number, lines: readonly string[], killedAt = 1.1): string[] =>
  findLostReceives(lines, [START + killedAt * 1_000], START + seconds * 1_000);

test.each([
  ['at once', 1.1],
  ['while it still started, on a busy machine', 9],
])(
  'a message is lost if the worker that received it was killed %s and nobody received it again',
  (_, killed) => {
    const lines = [line('m', 'task.enqueued', 0), line('m', 'task.received', 1)];
    expect(lostAt(62, lines, killed)).toEqual(['m']);
    expect(lostAt(20, lines, killed)).toEqual([]);
  },
);

test.each([
  ['deleted', [line('m', 'task.received', 1), line('m', 'task.deleted', 2)]],
  [
    'received again, by a worker that nobody killed',
    [line('m', 'task.received', 1), line('m', 'task.received', 24)],
  ],
  ['received after the kill', [line('m', 'task.received', 1.2)]],
  ['received again after the kill', [line('m', 'task.received', -5), line('m', 'task.received', 20)]],
])('a message is not lost if it was %s', (_what, lines) => {
  expect(lostAt(62, lines)).toEqual([]);
});
