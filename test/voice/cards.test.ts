import { describe, expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { createTranscriptCard, createTranslatedCard } from '../../shared/voice/cards.ts';
import { progressCard } from '../../shared/voice/transcription/progress-cards.ts';
import { renderCard as onDiscord } from '../../shared/platforms/discord/blocks/card-components.ts';
import { renderCard as onSlack } from '../../shared/platforms/slack/blocks/card-blocks.ts';
import { task, THREAD } from './voice-harness.ts';

const REF = { thread: THREAD, message: task({ kind: 'show' }).message, file: 'F1' };
const by = userId('U1');
const HINT = 'The small print at the end';

const chunk = (n: number, text: string, translation = '') => ({
  n,
  fromMs: n * 25_000,
  toMs: (n + 1) * 25_000,
  text,
  words: [],
  translation,
});

const LANGUAGES = [
  ['English', 'Somebody said something long. '],
  ['Japanese', '今日はいい天気ですね。'],
  ['Arabic', 'ماذا قلت؟ لم أسمع شيئا. '],
  ['Hebrew', 'מה אמרת? לא שמעתי כלום. '],
  ['Thai', 'วันนี้อากาศดีมาก'],
  ['letters of four bytes', '𠮷野家で😀'],
] as const;

describe.each(LANGUAGES)('a long recording in %s', (_, sentence) => {
  const chunks = Array.from({ length: 60 }, (__, n) => chunk(n, sentence.repeat(9), sentence.repeat(9)));
  const cards = [false, true].flatMap((summary) =>
    [undefined, 'fr'].map((to) =>
      createTranscriptCard(
        {
          ref: REF,
          by,
          chunks,
          ms: 1_500_000,
          partial: 'damaged',
          to,
          summary: summary ? sentence.repeat(400) : undefined,
          notes: [HINT],
        },
        'ja',
      ),
    ),
  );

  test.each([
    ['Slack', onSlack],
    ['Discord', onDiscord],
  ])('fits with its notes on a card of %s and is cut between characters', (__, draw) => {
    for (const card of cards) {
      const drawn = JSON.stringify(draw(card));
      expect(drawn).toContain(HINT);
      expect(drawn).toContain('voice.translate');
      expect(drawn).toContain(sentence.trim());
      // The platform rejects half a surrogate pair.
      expect(drawn).not.toMatch(/\\ud[89a-f]|\ufffd/u);
    }
  });

  test('shows the end of the transcript while it is in progress', () => {
    const drawn = JSON.stringify(
      onDiscord(
        progressCard(
          chunks,
          { ms: 1_500_000, estimated: false },
          { ref: REF, requestedBy: userId('U1') },
          'ja',
        ),
      ),
    );
    expect(drawn).not.toMatch(/\\ud[89a-f]|\ufffd/u);
    expect(drawn).toContain('25:00');
  });
});

test('the text on a card has at most 7,200 bytes, even with three bytes per character', () => {
  const chunks = Array.from({ length: 60 }, (__, n) => chunk(n, '今日はいい天気ですね。'.repeat(9)));
  const card = createTranscriptCard({ ref: REF, by, chunks, ms: 1_500_000 }, 'ja');
  const sizes = card.parts.map((part) => ('markdown' in part ? Buffer.byteLength(part.markdown) : 0));
  // Including the ellipsis.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(7_203);
  expect(Math.max(...sizes)).toBeGreaterThan(6_500);
});

describe('the translation that only one person sees', () => {
  const words = 'Quelqu’un a dit une chose. ';
  const start = 'This is the beginning. **Speak it** posts all of it as audio.';
  const drawn = (platform: 'slack' | 'discord', count: number): string => {
    const thread = { ...THREAD, platform };
    const chunks = Array.from({ length: count }, (_, n) =>
      chunk(n, 'x', n === count - 1 ? 'Fin.' : words.repeat(10)),
    );
    const card = createTranslatedCard(chunks, 'fr', { ...REF, thread }, 'en');
    return JSON.stringify(platform === 'slack' ? onSlack(card) : onDiscord(card));
  };

  test.each([
    ['slack', 40],
    ['discord', 11],
  ] as const)('is whole on %s as far as there is room', (platform, count) => {
    expect(drawn(platform, count)).toContain('Fin.');
    expect(drawn(platform, count)).not.toContain('This is the beginning');
  });

  test.each([
    ['slack', start.replaceAll('**', '*')],
    ['discord', start],
  ] as const)('says on %s how to get the rest', (platform, note) => {
    expect(drawn(platform, 60)).toContain(note);
    expect(drawn(platform, 60)).not.toContain('Fin.');
    expect(drawn(platform, 60).length).toBeGreaterThan(3_000);
  });
});

test('mentions in a transcript notify nobody', () => {
  const hostileText = 'Hello <!channel> @everyone <@U2> <#C1> <@&5>';
  const card = createTranscriptCard(
    { ref: REF, by, chunks: [chunk(0, hostileText, hostileText)], ms: 5_000, to: 'fr' },
    'en',
  );
  for (const drawn of [JSON.stringify(onSlack(card)), JSON.stringify(onDiscord(card))]) {
    expect(drawn.replaceAll('<@U1>', '')).not.toMatch(/<[!@#]|@everyone/u);
  }
});
