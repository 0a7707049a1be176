import { expect, test } from '@jest/globals';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/worker/index.ts';
import { handleTranscriptionDeadLetter } from '../../../shared/voice/transcription/handle-dead-letter.ts';
import { INVOCATION, rig, task, textOf } from '../rig.ts';

const pressed = (speak: boolean) => task({ kind: 'translate', to: 'fr', speak, invocation: INVOCATION });
const TRANSLATE = pressed(false);

/** A recording that is written out, and what is shown in its thread while something else is made of it. */
async function world() {
  const one = rig({ F1: { pieces: 2 } });
  await runTranscriptionTask(task({ kind: 'show' }), one.context, one.delivery);
  const statuses: string[] = [];
  const stage = {
    ...one.context.messenger,
    showWorking: async (_: unknown, words: string, isAnswering?: boolean) =>
      void statuses.push(isAnswering ? `${words}(beside an answer)` : words),
  };
  const context: VoiceContext = { ...one.context, messenger: stage };
  return { ...one, context, statuses };
}

test('while a translation is made its thread says so, again and again, and no longer once it is there', async () => {
  const { context, delivery, time, statuses, hooks, responses } = await world();
  let before = 0;
  hooks.beforeHear = async () => {
    if (before > 0) return;
    before = statuses.length;
    time.advance(91_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await runTranscriptionTask(TRANSLATE, context, delivery);
  expect(statuses).toEqual(['is translating…', 'is translating…', '']);
  expect(before).toBe(1);
  // Nothing of that is left: who pressed has one answer.
  expect(responses.map(textOf)).toEqual([expect.stringContaining('mot0 mot1')]);
  expect(time.pending).toBe(0);
});

test('it says so of what is spoken, and of neither once it is refused or given up', async () => {
  const { context, delivery, statuses, set } = await world();
  await runTranscriptionTask(pressed(true), context, delivery);
  expect(statuses.splice(0)).toEqual(['is speaking a translation…', '']);
  set.layers = { channel: { values: { voice: 'off' } } };
  await runTranscriptionTask(TRANSLATE, context, delivery);
  expect(statuses.splice(0).at(-1)).toBe('');
  await handleTranscriptionDeadLetter(TRANSLATE, context);
  expect(statuses).toEqual(['']);
});

test('what shows that an answer is being made in the thread is not ended along with it', async () => {
  const { context, delivery, statuses } = await world();
  const beside = { ...context, signals: { isAnswering: async () => true } };
  await runTranscriptionTask(TRANSLATE, beside, delivery);
  expect(statuses.splice(0).at(-1)).toBe('(beside an answer)');
  await handleTranscriptionDeadLetter(TRANSLATE, beside);
  expect(statuses).toEqual(['(beside an answer)']);
});
