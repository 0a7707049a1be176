import { expect, test } from '@jest/globals';
import { type TranscriptionTask, messageId, userId } from '../../shared/domain/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../shared/voice/index.ts';
import { ENDPOINT_LIMITS } from '../../shared/rate-limits/index.ts';
import { RECORDINGS } from '../../shared/runtime/shared-names.ts';
import { TokenBuckets, KeyRateLimiter } from '../../shared/storage/index.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from '../limits/simulated-time.ts';
import { RECORDING, voiceHarness, type FakeRecording, task, textOf, THREAD } from './voice-harness.ts';

/** The default number of functions at a time. */
const CONCURRENCY = 20;
const SPEECH_MS = 2_000;
const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

type Delivered = { readonly task: TranscriptionTask; readonly receives: number; readonly triedAt?: number };

/** The recordings queue, its functions, and one key with a speech limit, in simulated time. */
function place(tapes: Readonly<Record<string, FakeRecording>>) {
  const clock = new SimulatedTime(START);
  const harness = voiceHarness(tapes);
  const now = (): number => clock.now;
  const time: VoiceContext['time'] = {
    now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        clock.at(clock.now + ms, resolve);
      }),
  };
  const tokens = {
    buckets: new TokenBuckets(harness.dynamo, 'tokens', now),
    random: createSeededRandom(1),
  };
  const permits = new KeyRateLimiter({
    ...tokens,
    family: 'speech',
    limit: ENDPOINT_LIMITS.speech,
    keys: async () => ['key'],
    now,
  });
  const sent: number[] = [];
  const transcriptionClient: VoiceContext['transcriptionClient'] = {
    transcribe: async (wav, options) => {
      await options.beforeAttempt();
      sent.push(clock.now);
      await clock.sleep(SPEECH_MS);
      return harness.context.transcriptionClient.transcribe(wav, {
        ...options,
        beforeAttempt: () => Promise.resolve(),
      });
    },
  };
  const waiting: Delivered[] = [];
  const dead: TranscriptionTask[] = [];
  /** When each recording was finished (ms from the start). */
  const times = new Map<string, number>();
  let running = 0;
  let left = 0;
  const recordingsQueue: VoiceContext['recordingsQueue'] = {
    send: async (body, ...rest) => {
      await harness.context.recordingsQueue.send(body, ...rest);
      for (const one of harness.again.splice(0)) if (one) add(one);
    },
  };
  const context = {
    ...harness.context,
    time,
    speechPermits: permits,
    transcriptionClient,
    recordingsQueue,
  };
  const add = (one: TranscriptionTask): void => {
    left += 1;
    waiting.push({ task: one, receives: 1 });
    take();
  };
  const take = (): void => {
    const next = running < CONCURRENCY ? waiting.shift() : undefined;
    if (!next) return;
    void serve(next);
    take();
  };
  const serve = async ({ task: one, receives, triedAt }: Delivered): Promise<void> => {
    running += 1;
    const delivery = {
      deadline: clock.now + 14 * MINUTE,
      isRedelivery: receives > 1,
      isLast: triedAt !== undefined && clock.now - triedAt >= 1_000 * RECORDINGS.maxWaitSeconds,
    };
    const result = await runTranscriptionTask(one, context, delivery);
    running -= 1;
    const tried = triedAt ?? clock.now;
    if (result.kind === 'done') {
      left -= 1;
      for (const { id } of one.recordings) times.set(id, clock.now - START);
    } else if (delivery.isLast) dead.push(one);
    else if (result.kind === 'later')
      clock.at(clock.now + result.afterMs, () => {
        waiting.push({ task: one, receives: receives + 1, triedAt: tried });
        take();
      });
    take();
  };
  const minutes = (): number => (clock.now - START) / MINUTE;
  return {
    ...harness,
    add,
    dead,
    times,
    sent,
    minutes,
    run: () => clock.run(() => left === dead.length && left === 0),
  };
}

/** The last text on the card of each file. */
const textsByKey = (cards: ReturnType<typeof voiceHarness>['cards']): Map<string | undefined, string> =>
  new Map(cards.map(({ key, card }) => [key.split('#').at(-1), textOf(card)]));

test('a hundred recordings in one channel, one of them long and ten in one message, are each transcribed once at the rate of the key', async () => {
  const tapes: Record<string, FakeRecording> = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`F${n}`, { chunks: n === 50 ? 44 : 1 + (n % 2) }]),
  );
  const { add, run, cards, dead, sent, minutes } = place(tapes);
  const ids = Object.keys(tapes);
  const messages = [ids.slice(0, 10), ...ids.slice(10).map((id) => [id])];
  for (const [n, files] of messages.entries()) {
    const message = messageId(`${n + 1}.1`);
    const asker = userId(`U${n % 7}`);
    const recordings = files.map((id) => ({ ...RECORDING, id }));
    add(task({ kind: 'show' }, { thread: { ...THREAD, root: message }, message, asker, recordings }));
  }
  await run();
  const chunks = Object.values(tapes).map((tape) => tape.chunks);
  const all = chunks.reduce((sum, one) => sum + one, 0);
  expect([dead.length, sent.length]).toEqual([0, all]);
  const last = textsByKey(cards);
  const unfinished = ids.filter((id, n) => last.get(id)?.includes(`word${(chunks[n] ?? 0) - 1}\n`) !== true);
  expect(unfinished).toEqual([]);
  const { perMinute, burst } = ENDPOINT_LIMITS.speech;
  const inOne = sent.map((at, n) => sent.slice(n).filter((one) => one < at + MINUTE).length);
  expect(Math.max(...inOne)).toBeLessThanOrEqual(perMinute + burst);
  expect(minutes()).toBeLessThan(all / perMinute + 1);
});

test('ten people with one recording each do not wait for the hundred recordings of another person', async () => {
  const tapes: Record<string, FakeRecording> = Object.fromEntries(
    Array.from({ length: 110 }, (_, n) => [`F${n}`, { chunks: 1 }]),
  );
  const { add, run, cards, dead, sent, minutes, times } = place(tapes);
  for (const [n, id] of Object.keys(tapes).entries()) {
    const message = messageId(`${n + 1}.1`);
    const asker = userId(n < 100 ? 'greedy' : `U${n}`);
    const recordings = [{ ...RECORDING, id }];
    add(task({ kind: 'show' }, { thread: { ...THREAD, root: message }, message, asker, recordings }));
  }
  await run();
  expect([dead.length, sent.length]).toEqual([0, 110]);
  expect(textsByKey(cards).size).toBe(110);
  const others = Object.keys(tapes)
    .slice(100)
    .map((id) => times.get(id) ?? Infinity);
  // The burst of the key, one fair round of eleven people, and the wait for a function.
  expect(Math.max(...others)).toBeLessThan(30_000);
  expect(minutes()).toBeLessThan(110 / ENDPOINT_LIMITS.speech.perMinute + 1);
});
