import { expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { progressCard } from '../../shared/voice/transcription/progress-cards.ts';
import { FileUnavailableError } from '../../shared/platforms/ports/index.ts';
import {
  AuthError,
  ConnectionError,
  RateLimitedError,
  ServerError,
  StreamCutError,
  TimedOutError,
} from '../../shared/upstream/index.ts';
import { RECORDING, voiceHarness, task, textOf, THREAD, withoutLookup } from './voice-harness.ts';

const SHOW = { kind: 'show' as const };
const REF = { thread: THREAD, message: task(SHOW).message, file: 'F1' };

/** Lets pending work continue. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
};
const chunk = (n: number) => ({
  n,
  fromMs: n * 20_000,
  toMs: (n + 1) * 20_000,
  text: `word${n}`,
  words: [],
});

test('progress is posted at once with the stage and the duration; a long transcript shows its end', async () => {
  const { context, delivery, cards, hooks, time } = voiceHarness({
    F1: { chunks: 3, length: { ms: 60_000, estimated: false } },
  });
  hooks.beforeTranscribe = async (n) => {
    if (n !== 0) return;
    await turns();
    time.advance(3_000);
    await turns();
  };
  await runTranscriptionTask(task(SHOW), context, delivery);
  const [first, second] = cards.map(({ card }) => textOf(card));
  expect(first).toContain('Downloading');
  expect(second).toContain('Transcribing');
  expect(second).toContain('1:00');

  const chunks = Array.from({ length: 500 }, (_, n) => chunk(n));
  const text = textOf(
    progressCard(chunks, { ms: 12_000_000, estimated: false }, { ref: REF, requestedBy: userId('U1') }, 'en'),
  );
  expect(text).toMatch(/^> ….*word498 word499\n.*2:46:40 of 3:20:00/su);
  expect(text.length).toBeLessThan(2_500);
});

test.each([
  [{ ms: 60_000, estimated: false }, undefined, 'Transcribing 1:00 of audio…', 'Transcribing: 0:20 of 1:00'],
  [
    { ms: 61_000, estimated: true },
    undefined,
    'Transcribing about 1:01 of audio…',
    'Transcribing: 0:20 of about 1:01',
  ],
  // The platform may know a duration that the file does not state.
  [undefined, 60_000, 'Transcribing 1:00 of audio…', 'Transcribing: 0:20 of 1:00'],
  [undefined, undefined, 'Transcribing the recording…', 'Transcribing: 0:20 so far'],
  // A wrong duration is not shown again.
  [{ ms: 5_000, estimated: false }, undefined, 'Transcribing 0:05 of audio…', 'Transcribing: 0:20 so far'],
])(
  'progress is shown if the file states the duration %j and the platform %j',
  async (length, ms, first, second) => {
    const { context, delivery, cards, hooks, time } = voiceHarness({ F1: { chunks: 2, length } });
    hooks.beforeTranscribe = async () => {
      await turns();
      time.advance(3_000);
      await turns();
    };
    await runTranscriptionTask({ ...task(SHOW), recordings: [{ ...RECORDING, ms }] }, context, delivery);
    const texts = cards.map(({ card }) => textOf(card));
    expect(texts).toContainEqual(expect.stringContaining(first));
    expect(
      textOf(
        progressCard(
          [chunk(0)],
          length ?? (ms === undefined ? undefined : { ms, estimated: false }),
          { ref: REF, requestedBy: userId('U1') },
          'en',
        ),
      ),
    ).toContain(second);
  },
);

test('a retryable failure is announced and retried; the last delivery posts the failure', async () => {
  const { context, delivery, cards } = voiceHarness();
  const full = new RateLimitedError('no', {
    status: 429,
    code: 'rate_limit_exceeded',
    retryAfterMs: 7_000,
  });
  const transcriptionClient = { transcribe: () => Promise.reject(full) };
  expect(await runTranscriptionTask(task(SHOW), { ...context, transcriptionClient }, delivery)).toEqual({
    kind: 'later',
    afterMs: 7_000,
  });
  expect(textOf(cards.at(-1)?.card)).toContain('about 7 s');
  expect(
    await runTranscriptionTask(
      task(SHOW),
      { ...context, transcriptionClient },
      { ...delivery, isLast: true },
    ),
  ).toEqual({ kind: 'done' });
  const failed = textOf(cards.at(-1)?.card);
  expect(failed).toContain('The recording could not be transcribed.');
  // Its limit is that of the speech service, not of the model that answers questions.
  expect(failed).toContain(
    'The speech service takes no more recordings right now, because its limit is reached.',
  );
});

test.each([
  [
    'an unanswered file download',
    new FileUnavailableError(['files.refused.no-answer', { name: 'memo', platform: 'Slack', mb: 1 }]),
  ],
  ['a stalled speech request', new TimedOutError('no', { code: 'total' })],
  ['a truncated response', new StreamCutError('no', { code: 'reset' })],
  ['a server error', new ServerError('no', { status: 503 })],
])('%s is retried after a delay; the last delivery posts the failure', async (_, error) => {
  const { context, delivery, cards, transcriptions, hooks } = voiceHarness();
  hooks.beforeTranscribe = (n) => {
    if (n === 1) throw error;
  };
  expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({
    kind: 'later',
    afterMs: 15_000,
  });
  expect(textOf(cards.at(-1)?.card).trim()).toBe('The connection failed. I try again in about 15 s.');
  await runTranscriptionTask(task(SHOW, { doneChunks: 2 }), context, { ...delivery, isLast: true });
  expect(textOf(cards.at(-1)?.card)).toMatch(/failed|could not download/u);
  delete hooks.beforeTranscribe;
  await runTranscriptionTask(task(SHOW), context, delivery);
  expect(transcriptions.map(({ n }) => n)).toEqual([0, 2, 1]);
});

test('an invalid certificate is reported without a retry', async () => {
  const { context, delivery, cards } = voiceHarness();
  const transcriptionClient = {
    transcribe: () => Promise.reject(new ConnectionError('no', { code: 'certificate' })),
  };
  expect(await runTranscriptionTask(task(SHOW), { ...context, transcriptionClient }, delivery)).toEqual({
    kind: 'done',
  });
  expect(textOf(cards.at(-1)?.card)).toContain('The speech service did not respond');
});

test('with an exhausted key, the last delivery queues the task again as long as it makes progress', async () => {
  const { context, delivery, cards, transcriptions, again, hooks } = voiceHarness({ F1: { chunks: 9 } });
  let left = 0;
  hooks.beforeTranscribe = () => {
    left -= 1;
    const facts = { status: 429, code: 'rate_limit_exceeded', retryAfterMs: 7_000 };
    if (left < 0) throw new RateLimitedError('no', facts);
  };
  const last = { ...delivery, isLast: true };
  let next = task(SHOW);
  for (let round = 1; round < 4; round += 1) {
    left = 2;
    expect(await runTranscriptionTask(next, context, last)).toEqual({ kind: 'done' });
    expect(textOf(cards.at(-1)?.card)).toContain('about 7 s');
    next = again.at(-1) ?? next;
    expect(next).toMatchObject({ request: SHOW, doneChunks: 2 * round });
  }
  await runTranscriptionTask(next, context, last);
  expect(textOf(cards.at(-1)?.card)).toContain('Transcription failed');
  left = Infinity;
  await runTranscriptionTask(next, context, last);
  expect(textOf(cards.at(-1)?.card)).toMatch(/word0.*word8/su);
  expect([transcriptions.length, again.length]).toEqual([9, 3]);
});

test('results of requests that were sent before another chunk failed are stored', async () => {
  const { context, delivery, transcriptions, hooks, recordings } = voiceHarness({ F1: { chunks: 9 } });
  const rejection = Promise.withResolvers<void>();
  hooks.beforeTranscribe = async (n) => {
    if (n === 1) {
      rejection.resolve();
      throw new AuthError('no', { status: 401 });
    }
    await rejection.promise;
    await new Promise((resolve) => void setImmediate(resolve));
  };
  await runTranscriptionTask(task(SHOW), context, delivery);
  expect((await recordings.listChunks(REF)).map(({ n }) => n)).toEqual([0, 2]);
  expect(transcriptions.map(({ n }) => n)).toEqual([0, 2]);
});

test('a transcript is not posted again when it is unknown whether its card exists', async () => {
  const { context, delivery, cards } = voiceHarness();
  await runTranscriptionTask(task(SHOW), context, delivery);
  cards.splice(0);
  const messenger = withoutLookup(context.messenger);
  const again = runTranscriptionTask(task(SHOW), { ...context, messenger }, delivery);
  await expect(again).rejects.toThrow('the platform cannot be reached');
  expect(cards).toEqual([]);
});
