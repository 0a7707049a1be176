import { describe, expect, test } from '@jest/globals';
import { runTranscriptionTask } from '../../../shared/voice/index.ts';
import { INVOCATION, voiceHarness, task, textOf } from '../voice-harness.ts';

const SHOW = { kind: 'show' as const };

describe('a translation for one person', () => {
  const FRENCH = { kind: 'translate' as const, to: 'fr', speak: false, invocation: INVOCATION };

  test('is ephemeral and made once', async () => {
    const { context, delivery, responses, transcriptions, cards } = voiceHarness();
    await runTranscriptionTask(task(SHOW), context, delivery);
    const cardsBefore = cards.length;
    await runTranscriptionTask(task(FRENCH), context, delivery);
    await runTranscriptionTask(task(FRENCH), context, delivery);
    expect(responses.map(textOf)).toEqual([
      expect.stringContaining('> mot0 mot1 mot2'),
      expect.stringContaining('> mot0 mot1 mot2'),
    ]);
    expect([transcriptions.filter(({ to }) => to === 'fr').length, cards.length]).toEqual([3, cardsBefore]);
  });

  test('is spoken in the thread as one file, with its chunks in order', async () => {
    const { context, delivery, uploads } = voiceHarness();
    await runTranscriptionTask(task({ ...FRENCH, speak: true }), context, delivery);
    expect(uploads).toEqual([
      { key: 'voice#1.1#F1#fr#I1#0#2', words: 'Spoken in French', content: '\0\u0001\u0002' },
    ]);
  });
});
