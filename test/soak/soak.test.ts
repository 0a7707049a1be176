import { expect, test } from '@jest/globals';
import { listKept, type Rest } from './memory.ts';
import { soak } from './soak.ts';

const MB = 2 ** 20;

test('a small part of npm run soak: each question is answered once, with the history of its thread, by one model request', async () => {
  const { stats, requests, wrong, rests } = await soak({ minutes: 1, rate: 4, seed: 3 });
  expect(wrong).toEqual([]);
  expect(stats).toMatchObject({ questions: 240, checked: stats.startedThreads });
  expect(stats.answered + stats.deleted).toBe(240);
  expect(stats.edited).toBeGreaterThan(0);
  expect(stats.merged).toBeGreaterThan(0);
  expect(requests).toBeGreaterThan(200);
  expect(rests.map(({ questions }) => questions)).toEqual([80, 160, 240]);
});

test('where people edit and delete questions while their turns wait, no question is asked after its deletion', async () => {
  const { stats, wrong } = await soak({ minutes: 2, rate: 3, seed: 5, hasManyChanges: true });
  expect(wrong).toEqual([]);
  expect(stats.deleted).toBeGreaterThan(50);
  expect(stats.merged).toBeGreaterThan(50);
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

/** The rests of a run of 180,000 questions, with these heaps (MB). */
const restsWith = (heaps: readonly number[]): Rest[] =>
  heaps.map((heap, nth) => ({
    questions: 60_000 * (nth + 1),
    heap: heap * MB,
    external: 11 * MB,
    rss: (400 + 40 * nth) * MB,
  }));

test('memory that is kept of each question is reported, and caches and compiled code are not', () => {
  expect(listKept(restsWith([80, 83, 82]))).toEqual([]);
  // A promise, of 48 bytes, and its entry in a map.
  const leaking = restsWith([80, 80 + (60_000 * 80) / MB, 80 + (120_000 * 80) / MB]);
  expect(listKept(leaking)).toEqual(['the heap keeps 9.2 MB of 120000 questions: 80.0, then 89.2 MB']);
  const outside = restsWith([80, 80, 80]).map((rest, nth) => ({ ...rest, external: (11 + 8 * nth) * MB }));
  expect(listKept(outside)).toEqual([expect.stringContaining('what is outside of the heap keeps 16.0 MB')]);
});

test('a run that is too short to fill the caches says nothing about memory', () => {
  const short = restsWith([40, 50, 60]).map((rest, nth) => ({ ...rest, questions: 1_000 * (nth + 1) }));
  expect(listKept(short)).toEqual([]);
});
