import { describe, expect, test } from '@jest/globals';
import { BadRequestError } from '../../../shared/upstream/index.ts';
import { runTranscriptionTask } from '../../../shared/voice/index.ts';
import { INTERACTION, voiceHarness, task, textOf } from '../voice-harness.ts';

const SHOW = { kind: 'show' as const };
/** A speech service that accepts no request. */
const REFUSING = { transcribe: () => Promise.reject(new BadRequestError('no', { status: 400 })) };

describe('a translation for one person', () => {
  const FRENCH = { kind: 'translate' as const, to: 'fr', speak: false, interaction: INTERACTION };

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

  test.each([
    ['fi', 'did not accept Finnish as a language. Ask for one of these: English, German, French'],
    ['fr', 'did not accept this recording'],
    ['pt-BR', 'did not accept this recording'],
  ])('into %s that the service refuses says what to do', async (to, sentence) => {
    const { context, delivery, responses, cards } = voiceHarness();
    const refusing = { ...context, transcriptionClient: REFUSING };
    await runTranscriptionTask(task({ ...FRENCH, to }), refusing, delivery);
    expect(textOf(responses.at(-1))).toContain(sentence);
    await runTranscriptionTask(task({ ...SHOW, to }), refusing, delivery);
    expect(textOf(cards.at(-1)?.card)).toContain(sentence);
  });
});
