import { expect, test } from '@jest/globals';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/voice/index.ts';
import { handleTranscriptionDeadLetter } from '../../../shared/voice/transcription/handle-dead-letter.ts';
import { INTERACTION, voiceHarness, task, textOf } from '../voice-harness.ts';

const pressed = (speak: boolean) => task({ kind: 'translate', to: 'fr', speak, interaction: INTERACTION });
const TRANSLATE = pressed(false);

/** A transcribed recording, and the statuses shown in its thread. */
async function harness() {
  const one = voiceHarness({ F1: { chunks: 2 } });
  await runTranscriptionTask(task({ kind: 'show' }), one.context, one.delivery);
  const statuses: string[] = [];
  const messenger = {
    ...one.context.messenger,
    showWorking: async (_: unknown, words: string, isAnswering?: boolean) =>
      void statuses.push(isAnswering ? `${words}(beside an answer)` : words),
  };
  const context: VoiceContext = { ...one.context, messenger };
  return { ...one, context, statuses };
}

test('a translation shows a status, renews it, and clears it at the end', async () => {
  const { context, delivery, time, statuses, hooks, responses } = await harness();
  let before = 0;
  hooks.beforeTranscribe = async () => {
    if (before > 0) return;
    before = statuses.length;
    time.advance(91_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await runTranscriptionTask(TRANSLATE, context, delivery);
  expect(statuses).toEqual(['is translating…', 'is translating…', '']);
  expect(before).toBe(1);
  // The person gets one reply.
  expect(responses.map(textOf)).toEqual([expect.stringContaining('mot0 mot1')]);
  expect(time.pending).toBe(0);
});

test('speech shows a status; a refusal and a dead letter clear it', async () => {
  const { context, delivery, statuses, set } = await harness();
  await runTranscriptionTask(pressed(true), context, delivery);
  expect(statuses.splice(0)).toEqual(['is speaking a translation…', '']);
  set.layers = { channel: { values: { voice: 'off' } } };
  await runTranscriptionTask(TRANSLATE, context, delivery);
  expect(statuses.splice(0).at(-1)).toBe('');
  await handleTranscriptionDeadLetter(TRANSLATE, context);
  expect(statuses).toEqual(['']);
});

test('the status of an answer in progress is kept', async () => {
  const { context, delivery, statuses } = await harness();
  const beside = { ...context, signals: { isAnswering: async () => true } };
  await runTranscriptionTask(TRANSLATE, beside, delivery);
  expect(statuses.splice(0).at(-1)).toBe('(beside an answer)');
  await handleTranscriptionDeadLetter(TRANSLATE, beside);
  expect(statuses).toEqual(['(beside an answer)']);
});
