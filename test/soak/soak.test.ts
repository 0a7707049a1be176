import { expect, test } from '@jest/globals';
import type { Sample } from './memory.ts';
import { growing, soak } from './soak.ts';

const MB = 2 ** 20;
const MINUTE = 60_000;

test('a small part of npm run soak: each question is answered once, with the history of its thread, by one model request', async () => {
  const { stats, requests, wrong } = await soak({ minutes: 1, rate: 4, seed: 3 });
  expect(wrong).toEqual([]);
  expect(stats).toMatchObject({ questions: 240, checked: stats.startedThreads });
  expect(stats.answered + stats.deleted).toBe(240);
  expect(stats.edited).toBeGreaterThan(0);
  expect(stats.merged).toBeGreaterThan(0);
  expect(requests).toBeGreaterThan(200);
});

test('a duplicate answer, or a prompt with a question of another thread, is detected', async () => {
  const { wrong } = await soak({
    minutes: 1,
    rate: 1,
    seed: 3,
    disturb: ({ slack, threads, minute }) => {
      if (minute !== 1) return;
      const channel = [...slack.state.messages.values()].find((messages) => messages.size > 2);
      const answer = [...(channel?.values() ?? [])].find(({ user }) => user === slack.identity.botUserId);
      if (answer && channel) channel.set('1790000099.000001', { ...answer, ts: '1790000099.000001' });
      threads.onRequest({ question: ['q1x0x0q'], prompt: ['q1x0x0q', 'q2x0x0q'] });
    },
  });
  expect(wrong).toEqual([
    expect.stringContaining('a prompt holds q1x0x0q,q1x0x0q,q2x0x0q'),
    expect.stringMatching(/thread \d+: answered are/u),
  ]);
});

/** One sample per minute, in MB. */
const samples = (sizes: readonly number[]): Sample[] =>
  sizes.map((size, nth) => ({ atMs: (nth + 1) * MINUTE, heap: size * MB, external: MB, rss: 400 * MB }));

test('a growing heap is reported, and a fluctuating heap is not', () => {
  expect(growing(samples([50, 90, 101, 99, 103, 98, 104, 101, 100]), 1)).toEqual([]);
  // Half a kilobyte per question, at a hundred a second.
  const leaking = samples(Array.from({ length: 29 }, (_, nth) => 100 + 2.9 * nth));
  expect(growing(leaking)).toEqual([expect.stringContaining('the heap grows from')]);
});
