import { expect, test } from '@jest/globals';
import type { StatusKind } from '../../../shared/platforms/ports/index.ts';
import { StatusIndicator, STATUS_TEXTS } from '../../../shared/chat/display/status-indicator.ts';
import { TestTime } from '../../upstream/time.ts';
import { fakePlatform, TURN } from '../completion-harness.ts';

function open() {
  const time = new TestTime(0);
  const said: string[] = [];
  const locale = Promise.resolve('en' as const);
  const long = (): void => void said.push('(long)');
  const thinking = new StatusIndicator(TURN, {
    platform: fakePlatform({}, said),
    time,
    locale,
    onLong: long,
  });
  const after = async (ms: number): Promise<void> => {
    time.advance(ms);
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };
  return { thinking, said, after, time };
}

test('the status changes while nothing is visible, and is renewed before Slack removes it', async () => {
  const { said, after, thinking, time } = open();
  await after(299);
  expect(said).toEqual([]);
  await after(1);
  await after(8_000);
  await after(25_000);
  expect(said).toEqual(['is thinking…', '(long)', 'is still thinking…', 'needs a little longer…']);
  await after(90_000);
  expect(said).toHaveLength(5);
  await thinking.stop();
  expect(said.at(-1)).toBe('');
  expect(time.pending).toBe(0);
});

test('the status of a tool or of the queue is not replaced by waiting phrases', async () => {
  const { said, after, thinking } = open();
  thinking.show(['answers.status.reading']);
  await after(300);
  await after(8_000);
  await after(60_000);
  expect(said).toEqual(['is reading a file…', '(long)']);
  thinking.keep();
  await after(600_000);
  expect(said).toEqual(['is reading a file…', '(long)']);
});

test('an immediate answer shows no status', async () => {
  const { said, after, thinking } = open();
  await thinking.stop();
  await after(60_000);
  expect(said).toEqual([]);
});

test('a status has a kind: reasoning alone counts as work, and replaces the status of a wait', async () => {
  const told: (readonly [string, StatusKind | undefined])[] = [];
  const thinking = new StatusIndicator(TURN, {
    platform: { showStatus: async (_, words, kind) => void told.push([words, kind]) },
    time: new TestTime(0),
    locale: Promise.resolve('en'),
  });
  thinking.show(STATUS_TEXTS);
  thinking.show(['answers.status.line-seconds', { count: 4 }]);
  thinking.show(STATUS_TEXTS);
  await thinking.stop();
  expect(told).toEqual([
    ['is thinking…', 'work'],
    ['is waiting in line: about 4 s', 'wait'],
    ['is thinking…', undefined],
    ['', undefined],
  ]);
});
