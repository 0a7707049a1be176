import { expect, test } from '@jest/globals';
import { userId } from '../../../shared/domain/index.ts';
import { runTranscriptionTask } from '../../../shared/voice/index.ts';
import { handleTranscriptionDeadLetter } from '../../../shared/voice/transcription/handle-dead-letter.ts';
import { RECORDING, voiceHarness, task, textOf, THREAD } from '../voice-harness.ts';

const ASK = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const SHOW = { kind: 'show' as const };
const BOTH = [RECORDING, { ...RECORDING, id: 'F2' }];

/** The last state of the card of each recording. */
const cardTexts = ({ cards }: ReturnType<typeof voiceHarness>) => ({
  first: textOf(cards.findLast(({ key }) => key.endsWith('F1'))?.card),
  second: textOf(cards.findLast(({ key }) => key.endsWith('F2'))?.card),
});

test('a finished transcript stays, and is part of the question, if the second recording is given up', async () => {
  // The second file cannot be read.
  const harness = voiceHarness({ F1: { chunks: 2 } });
  const both = task(ASK, { recordings: BOTH });
  await expect(runTranscriptionTask(both, harness.context, harness.delivery)).rejects.toThrow('no such file');
  await handleTranscriptionDeadLetter(both, harness.context);
  const { first, second } = cardTexts(harness);
  expect(first).toContain('word0 word1');
  expect(second).toContain('could not transcribe this');
  expect(JSON.stringify(harness.tasks)).toMatch(/And this\?.*word0 word1.*could not transcribe this/u);
});

test('a transcript stays if only its question could not be queued', async () => {
  const harness = voiceHarness({ F1: { chunks: 2 } });
  const queue = { send: () => Promise.reject(new Error('the queue is away')) };
  const context = { ...harness.context, queue };
  await expect(runTranscriptionTask(task(ASK), context, harness.delivery)).rejects.toThrow('queue is away');
  await handleTranscriptionDeadLetter(task(ASK), harness.context);
  expect(cardTexts(harness).first).toContain('word0 word1');
  expect(JSON.stringify(harness.tasks)).toContain('word0 word1');
});

test('a transcription that was stopped, and could not be continued, says so', async () => {
  const harness = voiceHarness({ F1: { chunks: 12 } });
  const ref = { thread: THREAD, message: task(SHOW).message, file: 'F1' };
  harness.hooks.beforeTranscribe = async (n) => {
    if (n === 3) await harness.recordings.stop(ref, userId('U1'));
  };
  await runTranscriptionTask(task(SHOW), harness.context, harness.delivery);
  expect(cardTexts(harness).first).toContain('Stopped at');
  await handleTranscriptionDeadLetter(task(SHOW), harness.context);
  expect(cardTexts(harness).first).toContain('could not transcribe this');
});
