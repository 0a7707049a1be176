import { describe, expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { transcriptCard } from '../../shared/voice/cards.ts';
import { progressCard } from '../../shared/voice/transcription/progress-cards.ts';
import { renderCard as onDiscord } from '../../shared/platforms/discord/blocks/card-components.ts';
import { renderCard as onSlack } from '../../shared/platforms/slack/blocks/card-blocks.ts';
import { task, THREAD } from './rig.ts';

const REF = { thread: THREAD, message: task({ kind: 'show' }).message, file: 'F1' };
const by = userId('U1');
const HINT = 'The small print at the end';

const piece = (n: number, text: string, translation = '') => ({
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
  const pieces = Array.from({ length: 60 }, (__, n) => piece(n, sentence.repeat(9), sentence.repeat(9)));
  const cards = [false, true].flatMap((summary) =>
    [undefined, 'fr'].map((to) =>
      transcriptCard(
        {
          ref: REF,
          by,
          pieces,
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
  ])('has room for all that belongs to it on a card of %s, and is cut between letters', (__, draw) => {
    for (const card of cards) {
      const drawn = JSON.stringify(draw(card));
      expect(drawn).toContain(HINT);
      expect(drawn).toContain('voice.translate');
      expect(drawn).toContain(sentence.trim());
      // A half of a letter is written like this, and refused.
      expect(drawn).not.toMatch(/\\ud[89a-f]|\ufffd/u);
    }
  });

  test('shows what came last while it is heard', () => {
    const drawn = JSON.stringify(
      onDiscord(
        progressCard(pieces, { ms: 1_500_000, estimated: false }, { ref: REF, wantedBy: userId('U1') }, 'ja'),
      ),
    );
    expect(drawn).not.toMatch(/\\ud[89a-f]|\ufffd/u);
    expect(drawn).toContain('25:00');
  });
});

test('what a card says takes at most 7,200 bytes, also where characters take three each', () => {
  const pieces = Array.from({ length: 60 }, (__, n) => piece(n, '今日はいい天気ですね。'.repeat(9)));
  const card = transcriptCard({ ref: REF, by, pieces, ms: 1_500_000 }, 'ja');
  const sizes = card.parts.map((part) => ('markdown' in part ? Buffer.byteLength(part.markdown) : 0));
  // With the sign that there is more of it.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(7_203);
  expect(Math.max(...sizes)).toBeGreaterThan(6_500);
});

test('what somebody says calls nobody', () => {
  const said = 'Hello <!channel> @everyone <@U2> <#C1> <@&5>';
  const card = transcriptCard({ ref: REF, by, pieces: [piece(0, said, said)], ms: 5_000, to: 'fr' }, 'en');
  for (const drawn of [JSON.stringify(onSlack(card)), JSON.stringify(onDiscord(card))]) {
    expect(drawn.replaceAll('<@U1>', '')).not.toMatch(/<[!@#]|@everyone/u);
  }
});
