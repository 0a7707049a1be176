import { expect, test } from '@jest/globals';
import { createToolClient } from '../../../../functions/composition/tools/tool-client.ts';
import { type AwsCall, AwsError } from '../../../../shared/aws/index.ts';

/** A connection to Lambda that broke without a word: only a signal ends the wait. */
const silentLambda: AwsCall = ({ target, signal }) =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new AwsError(target, 0, 'TimeoutError')));
  });
const CALL = { kind: 'call', url: 'https://x.example.com', tool: 't', args: {}, timeoutMs: 18_000 } as const;

test.each([
  ['a call, which may have run', CALL, true],
  ['a list', { kind: 'list', url: CALL.url, timeoutMs: 18_000 } as const, false],
])(
  'a function that does not answer is given up 10 s after the time of its server: %s',
  async (_, request, mayHaveRun) => {
    const timeouts: { ms: number; end: AbortController }[] = [];
    const client = createToolClient('dev', silentLambda, (ms) => {
      const end = new AbortController();
      timeouts.push({ ms, end });
      return end.signal;
    });
    const response = client(request, new AbortController().signal);
    expect(timeouts.map(({ ms }) => ms)).toEqual([28_000]);
    timeouts[0]?.end.abort();
    expect(await response).toEqual({ kind: 'failed', reason: 'unavailable', mayHaveRun });
  },
);

test('whoever asks may give up earlier', async () => {
  const client = createToolClient('dev', silentLambda, () => new AbortController().signal);
  const asker = new AbortController();
  const response = client(CALL, asker.signal);
  asker.abort();
  expect(await response).toEqual({ kind: 'failed', reason: 'unavailable', mayHaveRun: true });
});
