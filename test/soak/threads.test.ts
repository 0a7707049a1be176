import { expect, test } from '@jest/globals';
import { tokenOf } from './models.ts';
import { Threads } from './threads.ts';
import { channelOf, SoakHarness } from './harness.ts';

const DELETED_AT_MS = 4_000;

/** Two questions have one answer, requested at this time; the second question is deleted after four seconds. */
async function mergedAnswer(requestedAtMs: number): Promise<readonly string[]> {
  const harness = new SoakHarness(1, () => undefined);
  const { slack, time } = harness;
  const threads = new Threads(harness);
  const startedAt = time.now();
  const deletion = { what: 'delete', afterMs: DELETED_AT_MS - 1_000 } as const;
  const questions = [{ afterMs: 0 }, { afterMs: 1_000, change: deletion }];
  threads.begin({ person: 0, channel: 0, questions });
  await time.pass(startedAt + requestedAtMs);
  const tokens = [tokenOf(1, 0, 0), tokenOf(1, 1, 0)];
  threads.onRequest({ question: tokens, prompt: tokens });
  const messages = slack.state.messages.get(channelOf(0));
  const [root] = [...(messages?.values() ?? [])];
  if (!messages || !root) throw new Error('nothing was asked');
  const text = `Answer to ${tokens.join(' ')}: yes`;
  const ts = '1790000900.000001';
  messages.set(ts, { ...root, ts, text, thread: root.ts, user: slack.identity.botUserId });
  await time.pass(startedAt + 120_000);
  expect(threads.stats.checked).toBe(1);
  return threads.wrong;
}

test('a merged question that is deleted after its answer began may stay in the answer', async () => {
  expect(await mergedAnswer(DELETED_AT_MS - 1_000)).toEqual([]);
});

test('a merged question that was deleted before its answer began is detected in the answer', async () => {
  expect(await mergedAnswer(DELETED_AT_MS + 1_000)).toEqual([
    expect.stringMatching(/^thread 1: answered are/u),
  ]);
});
