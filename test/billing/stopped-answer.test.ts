import { describe, expect, test } from '@jest/globals';
import { ATTO_PER_DOLLAR } from '../../shared/billing/budgets/index.ts';
import { RateLimitedError, TimedOutError, type UpstreamError } from '../../shared/upstream/index.ts';
import { endEvent, type Script } from '../chat/completion-harness.ts';
import { createBudgets } from './budget-harness.ts';

/** Stops an answer after an attempt that failed so, or while the model works on it; returns what was booked. */
async function stopAfter(error: UpstreamError | undefined) {
  const { ask, readCounters } = await createBudgets();
  const stop = new AbortController();
  const script: Script = [
    ({ onAttempt }) => {
      if (error) onAttempt?.({ error });
      stop.abort();
    },
    endEvent('Light.'),
  ];
  await ask([script], { stop: stop.signal });
  return readCounters();
}

describe('an answer that is stopped before the first word', () => {
  test('while the request waits after a rejection costs nothing', async () => {
    const { atto, requests } = await stopAfter(new RateLimitedError('full', { status: 429 }));
    expect([atto, requests]).toEqual([0n, 0]);
  });

  test('costs nothing also if the key was rejected before the request was sent', async () => {
    const { ask, readCounters } = await createBudgets();
    const stop = new AbortController();
    const script: Script = [
      async ({ beforeAttempt, onAttempt }) => {
        // The first attempt is not reported: its key is known as rejected, so it is not sent.
        await beforeAttempt?.(1, stop.signal, undefined);
        onAttempt?.({ error: new RateLimitedError('full', { status: 429 }) });
        stop.abort();
      },
      endEvent('Light.'),
    ];
    await ask([script], { stop: stop.signal });
    expect(await readCounters()).toMatchObject({ atto: 0n, requests: 0 });
  });

  test.each([
    ['a request without a response', new TimedOutError('late')],
    ['a request that the model works on', undefined],
  ])('costs a request after %s', async (_, error) => {
    expect(await stopAfter(error)).toMatchObject({ atto: ATTO_PER_DOLLAR, requests: 1 });
  });
});
