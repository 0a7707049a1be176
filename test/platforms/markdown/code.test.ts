import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { toMrkdwn } from '../../../shared/platforms/slack/blocks/mrkdwn.ts';
import { findFenceAround } from '../../../shared/platforms/markdown/code.ts';
import {
  cutSanitized,
  closeOpenBlocks,
  inCharacters,
  sanitize,
  splitIntoRanges,
} from '../../../shared/platforms/markdown/index.ts';

// Code as other renderers parse it. A masked link that one of them does not treat as code must show its host.

const LINK = '[bank](https://evil.example)';
const HONEST = `${LINK} (evil.example)`;

type Rules = { readonly block: RegExp; readonly span: RegExp; readonly quote?: RegExp };

/**
 * Discord's rules, as published parsers of its Markdown have them: fences may start and end anywhere, and other
 * blocks do not exist.
 */
const DISCORD: Rules = {
  block: /```(?:[a-z0-9_+\-.#]+?\n)?\n*[^\n][^]*?\n*```/iy,
  span: /(`+)[^]*?[^`]\1(?!`)/y,
  quote: /(?: *>>> +[^]*|(?: *> +[^\n]*(?:\n|$))+)/y,
};
/** Another parser, in which inline code contains no backticks. */
const DISCORD_PHONE: Rules = { ...DISCORD, span: /(``?)[^`]*\1/y };
/** Slack's mrkdwn: a pair of three backticks, or of one within a line. */
const MRKDWN: Rules = { block: /```[^]*?```/y, span: /`[^`\n]+`/y };

/** The text without what these rules treat as code. */
function proseIn(text: string, rules: Rules, quoted = false): string {
  let out = '';
  const match = (rule: RegExp | undefined, at: number): string | undefined => {
    if (!rule) return undefined;
    rule.lastIndex = at;
    return rule.exec(text)?.[0];
  };
  for (let at = 0; at < text.length;) {
    const isLineStart = at === 0 || text.charAt(at - 1) === '\n';
    const quote = isLineStart && !quoted ? match(rules.quote, at) : undefined;
    if (quote) {
      out += proseIn(quote.replaceAll(/^ *> ?/gmu, ''), rules, true);
      at += quote.length;
      continue;
    }
    if (rules.quote && /\\[^0-9A-Za-z\s]/y.test(text.slice(at, at + 2))) {
      out += text.slice(at, at + 2);
      at += 2;
      continue;
    }
    const code = match(rules.block, at) ?? match(rules.span, at);
    out += code === undefined ? text.charAt(at) : '\0';
    at += code?.length ?? 1;
  }
  return out;
}

type OpenFence = {
  readonly marker: string;
  readonly column: number;
  readonly width: number;
  readonly quoted: boolean;
};
const LINE = /^( {0,3}> ?|(?: *(?:[-*+]|\d{1,9}[.)]) +)* *)(`{3,}|~{3,})?(.*)$/su;
const ITEM = /^ *(?:[-*+]|\d{1,9}[.)])(?: |$)/u;
const columnOf = (line: string): number => line.length - line.trimStart().length;

function isLeft({ quoted, column }: OpenFence, line: string): boolean {
  return quoted ? !/^ {0,3}>/u.test(line) : line.trim() !== '' && columnOf(line) < column;
}

function fenceOpenedBy(line: string, inList: boolean): OpenFence | undefined {
  const [, prefix = '', marker = '', rest = ''] = LINE.exec(line) ?? [];
  if (marker === '' || (marker.startsWith('`') && rest.includes('`'))) return undefined;
  if (!inList && prefix.length > 3) return undefined;
  return {
    marker,
    column: /[-*+\d]/u.test(prefix) ? prefix.length : 0,
    quoted: prefix.includes('>'),
    width: prefix.length,
  };
}

function isEnd(fence: OpenFence, line: string): boolean {
  const [, , marker = '', rest = ''] = LINE.exec(line) ?? [];
  return marker.startsWith(fence.marker) && rest.trim() === '' && columnOf(line) <= fence.width + 3;
}

/** The lines outside of CommonMark's fenced blocks. */
function linesOutsideBlocks(text: string): readonly string[] {
  let fence: OpenFence | undefined;
  let inList = false;
  const prose: string[] = [];
  for (const line of text.split('\n')) {
    if (fence && !isLeft(fence, line)) {
      if (isEnd(fence, line)) fence = undefined;
      continue;
    }
    inList = ITEM.test(line) || (inList && (line.startsWith(' ') || line.trim() === ''));
    fence = fenceOpenedBy(line, inList);
    if (!fence) prose.push(line);
  }
  return prose;
}

const COMMON_MARK: Rules = { block: /(?!)/y, span: /(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/y };

/** The text without CommonMark's fenced blocks and inline code, as Slack documents its Markdown. */
const proseInMarkdown = (text: string): string => proseIn(linesOutsideBlocks(text).join('\n'), COMMON_MARK);

/** The same if all lines are rows of tables: bars divide code spans too. */
const proseInTables = (text: string): string =>
  linesOutsideBlocks(text)
    .flatMap((line) => line.split(/(?<!\\)\|/u))
    .map((cell) => proseIn(cell.replaceAll(String.raw`\|`, '|'), COMMON_MARK))
    .join('\n');

/** Masked links that do not show their host, in any renderer. */
function exposed(text: string): string[] {
  const readers = {
    discord: proseIn(text, DISCORD),
    phone: proseIn(text, DISCORD_PHONE),
    markdown: proseInMarkdown(text),
    tables: proseInTables(text),
  };
  return Object.entries(readers).flatMap(([name, prose]) =>
    prose.replaceAll(HONEST, '').includes(LINK) ? [`${name}: ${JSON.stringify(text)}`] : [],
  );
}

const exposedInMrkdwn = (mrkdwn: string): boolean =>
  mrkdwn.replaceAll('<https://evil.example|bank> (evil.example)', '').includes('<https://evil.example|bank>');

describe('text that some renderers show as code and others do not', () => {
  test.each([
    ['tildes are not code on Discord', `~~~\n${LINK}\n~~~`, `\`\`\`\n${LINK}\n\`\`\``],
    ['a block that is not closed', `\`\`\`js\n${LINK}`, `\`\`\`js\n${LINK}\n\`\`\``],
    ['backticks within a block', `\`\`\`\na \`\`\` ${LINK}\n\`\`\``, `\`\`\`\na ˋˋˋ ${LINK}\n\`\`\``],
    ['four backticks', `\`\`\`\`md\n\`\`\`\n${LINK}\n\`\`\`\``, `\`\`\`md\nˋˋˋ\n${LINK}\n\`\`\``],
    ['an empty block', `\`\`\`\n\`\`\`\n${LINK}`, `\`\`\`\n \n\`\`\`\n${HONEST}`],
    ['two backticks', `\`\`${LINK}\`\``, `\`${LINK}\``],
    [
      'a backtick in a link',
      `[a](https://a.example/\`) \`${LINK}\``,
      `[a](https://a.example/%60) (a.example) \`${LINK}\``,
    ],
    ['a backtick in an address', `<https://a.example/\`>${LINK}\``, `<https://a.example/ˋ>${HONEST}ˋ`],
    ['a backtick behind a backslash', `\\\`${LINK}\``, `ˋ${HONEST}ˋ`],
    ['a quotation that ends', `> \`\`\`\n> ${LINK}\n\nx`, `> \`\`\`\n> ${LINK}\n> \`\`\`\n\nx`],
    ['a line of a quotation without a blank', `> \`\`\`\n>${LINK}`, `> \`\`\`\n> ${LINK}\n> \`\`\``],
    ['a quotation in a quotation', `> > \`\`\`\n> ${LINK}`, `> > ˋˋˋ\n> ${HONEST}`],
    ['a list that ends', `- \`\`\`\n  ${LINK}\nx`, `- \`\`\`\n  ${LINK}\n  \`\`\`\nx`],
    ['a line left of its list', `1. \`\`\`\n  ${LINK}\n   \`\`\``, `1. \`\`\`\n   ${LINK}\n   \`\`\``],
    ['a tab behind the number of a list', `1.\t\`\`\`\n    x\n    \`\`\``, `1.  \`\`\`\n    x\n    \`\`\``],
    ['a bullet too far to the right for a list', `\t- \`\`\`1. ${LINK}`, `\t- ˋˋˋ1. ${HONEST}`],
    [
      'a closing fence far to the right',
      `\`\`\`\nx\n        \`\`\`\n${LINK}\n`,
      `\`\`\`\nx\n\`\`\`\n${HONEST}\n`,
    ],
  ])('%s', (_, hostile, expected) => {
    expect(sanitize(hostile)).toBe(expected);
    expect(exposed(expected)).toEqual([]);
    expect(exposedInMrkdwn(toMrkdwn(expected))).toBe(false);
  });

  test.each([
    ['the content of a divided span', `| \`a | ${LINK}\` | b |`, `| ˋa | ${HONEST}ˋ | b |`],
    ['a span behind a divided one', `\`a | b\` \`${LINK}\``, `\`a | b\` ˋ${HONEST}ˋ`],
    [
      'a span behind one that a spoiler on Discord divides',
      `|| \`a || b\`\n\`${LINK}\``,
      `|| ˋa || bˋ\n\`${LINK}\``,
    ],
  ])('a vertical bar divides no code that hides something: %s', (_, hostile, expected) => {
    expect(sanitize(hostile)).toBe(expected);
    expect(exposed(expected)).toEqual([]);
  });

  const token = fc.constantFrom(
    '`',
    '``',
    '```',
    '```js\n',
    '````\n',
    '```\n',
    '~~~\n',
    '~~~~\n',
    '\n',
    '\n',
    '\n\n',
    LINK,
    LINK,
    'x',
    ' ',
    '\\',
    '|',
    '|',
    '\\|',
    ' `a | b` ',
    '> ',
    '>',
    '> > ',
    '- ',
    '1. ',
    '  ',
    '   ',
    '    ',
    '\t',
    '<https://a.example/',
    '>',
    '[a](https://a.example/`)',
    '[',
    '](',
  );
  const hostileText = fc.array(token, { maxLength: 30 }).map((all) => all.join(''));

  test('every masked link shows its host in all renderers', () => {
    fc.assert(
      fc.property(hostileText, (hostile) => {
        const sanitized = sanitize(hostile);
        expect(exposed(sanitized)).toEqual([]);
        expect(exposedInMrkdwn(toMrkdwn(sanitized))).toBe(false);
        expect(proseIn(sanitized, MRKDWN).replaceAll(HONEST, '')).not.toContain(LINK);
      }),
      { numRuns: 20_000 },
    );
  });

  test('every masked link shows its host when an ellipsis cuts the code of a list', () => {
    const cut = cutSanitized(sanitize(`1. ~~~~\n   \`\`\`\`\n   ${LINK}`), 48);
    expect(cut.length).toBeLessThanOrEqual(48);
    expect(exposed(cut)).toEqual([]);
  });

  test('every masked link shows its host when the text is cut or split into messages', () => {
    fc.assert(
      fc.property(hostileText, fc.nat({ max: 300 }), (hostile, maxLength) => {
        const sanitized = sanitize(hostile);
        const cut = cutSanitized(sanitized, maxLength + 20);
        expect(cut.length).toBeLessThanOrEqual(maxLength + 20);
        expect(exposedInMrkdwn(toMrkdwn(cut))).toBe(false);
        expect(exposed(cut)).toEqual([]);
        const limit = inCharacters(100);
        for (const range of splitIntoRanges(sanitized, limit)) {
          // CommonMark parsers end deep code of a list, opened again outside of the list, only with the message.
          if ((findFenceAround(sanitized, range.from)?.column ?? 0) > 3) continue;
          expect(exposed(withoutHalf(closeOpenBlocks(sanitized, range, limit)))).toEqual([]);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

/** A truncated host is out of scope here. */
const withoutHalf = (text: string): string =>
  text.replaceAll(/\[bank\]\(https:\/\/evil\.example\)(?= ?\(?[a-z.]{0,11}(?:…|\n?`{0,3}$))/gu, '');
