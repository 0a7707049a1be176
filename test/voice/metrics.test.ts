import { expect, test } from '@jest/globals';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import type { Metrics } from '../../shared/runtime/metrics.ts';
import { RateLimitedError } from '../../shared/upstream/index.ts';
import { voiceHarness, task, THREAD } from './voice-harness.ts';

const SHOW = { kind: 'show' as const };

test('a transcription records its time, its duration and rate limits; a second delivery records nothing', async () => {
  const { context, delivery, hooks } = voiceHarness();
  const measured: Parameters<Metrics>[] = [];
  const facts = { requestId: undefined, status: 429 };
  hooks.beforeTranscribe = (n, { onAttempt }) => {
    if (n === 1) onAttempt?.({ error: new RateLimitedError('full', facts) });
  };
  const metrics: Metrics = (...one) => measured.push(one);
  for (const again of [false, true])
    await runTranscriptionTask(task(SHOW), { ...context, metrics }, { ...delivery, isRedelivery: again });
  expect(measured).toEqual([
    ['upstream.limited', { RateLimited: 1 }, { source: 'upstream' }],
    [
      'voice.ended',
      { RecordingTime: expect.any(Number), RecordingSeconds: 60 },
      { platform: THREAD.platform },
    ],
  ]);
});
