import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { estimateTokens } from '../../../shared/domain/index.ts';
import { listCitedSources } from '../../../shared/chat/display/answer-actions.ts';
import { toMrkdwn } from '../../../shared/platforms/slack/blocks/mrkdwn.ts';
import { toCanvasMarkdown } from '../../../shared/platforms/slack/canvases/canvas-markdown.ts';
import {
  createSanitizer,
  cutSanitized,
  drawHeadings,
  drawTables,
  closeOpenBlocks,
  inCharacters,
  sanitize,
  splitIntoRanges,
  getSettledLength,
} from '../../../shared/platforms/markdown/index.ts';
import { stepsOf } from './step-count.ts';
import { runWithTimeLimit } from '../../simulators/time-limit.ts';

const SEARCH = {
  tool: 'web_search',
  source: 'search',
  ms: 1,
  outcome: 'done' as const,
  search: { query: 'q', results: [{ number: 1, title: 'Page', url: 'https://example.com' }] },
};

/** All functions that run on text of models and people. */
const WORK: Readonly<Record<string, (text: string) => void>> = {
  drawHeadings,
  sanitize,
  toMrkdwn,
  toCanvasMarkdown,
  drawTables,
  getSettledLength,
  estimateTokens,
  'sanitize in pieces': (text) => {
    const markup = createSanitizer();
    for (let at = 0; at < text.length; at += 50) markup.feed(text.slice(at, at + 50));
    markup.end();
  },
  cutSanitized: (text) => cutSanitized(sanitize(text), Math.floor(text.length / 2)),
  listCitedSources: (text) =>
    void listCitedSources({ kind: 'answered', text, finish: 'stop', model: 'm', toolCalls: [SEARCH] }),
  splitIntoRanges: (text) => {
    const limit = inCharacters(2_000);
    for (const range of splitIntoRanges(text, limit)) closeOpenBlocks(text, range, limit);
  },
};

const SMALL = 8_000;
/** Four times the text takes four times the steps; sixteen times, if a function is quadratic. */
const [TIMES, MOST_TIMES] = [4, 7];

const filled = (unit: string, size: number): string =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

/** The growth of the steps with the text, without the constant part. */
function growth(work: (text: string) => void, unit: string): number {
  const [few, many] = [SMALL, TIMES * SMALL].map((size) => stepsOf(() => work(filled(unit, size))));
  return (many ?? 0) / Math.max(few ?? 0, SMALL);
}

const TABLE = '|a|b|\n|-|-|\n|1|2|\n\n';
const UNITS = [
  '[',
  '](',
  '](<',
  '[a](https://x',
  '[a](https://x y',
  '`',
  '` ',
  '``` ',
  '```\n',
  '~~~\n',
  '<',
  '<!',
  '<a:',
  '![',
  '@here',
  '> ',
  '- ',
  '    ',
  '**',
  '** a',
  '# ',
  '#### a\n',
  '- - ',
  '\\',
  '|',
  '|\n',
  TABLE,
  '|-|\n',
  'x\n\n',
  ' ',
  '"',
  '(',
  ')',
  '\u200d',
  '字',
];

describe.each(Object.entries(WORK))('the steps of %s are linear in the length of the text', (_, work) => {
  test.each(UNITS)('for any number of %j', (unit) => {
    expect(growth(work, unit)).toBeLessThan(MOST_TIMES);
  });

  test('for combinations of them', () => {
    const unit = fc.array(fc.constantFrom(...UNITS, 'word ', '\n'), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(unit, (units) => expect(growth(work, units.join(''))).toBeLessThan(MOST_TIMES)),
      { numRuns: 15 },
    );
  });
});

test.each(['sanitize', 'toMrkdwn', 'toCanvasMarkdown', 'drawTables', 'estimateTokens', 'listCitedSources'])(
  'also the backtracking within the patterns of %s is linear',
  (name) => {
    for (const unit of ['[', '](', '`', '<a:', '**', '> ']) {
      const text = filled(unit, 200_000);
      expect(() => runWithTimeLimit(() => WORK[name]?.(text))).not.toThrow();
    }
  },
);
