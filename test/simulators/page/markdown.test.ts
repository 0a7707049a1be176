import { describe, expect, test } from '@jest/globals';
import { runWithTimeLimit } from '../time-limit.ts';
import { type Block, type Inline, parseMarkdown } from './markdown.js';

/** A tree in short: `em(…)`, `a(address|words)`. */
function short(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'break') return '⏎';
      if (part.kind === 'code') return `code(${part.text})`;
      if (part.kind === 'link')
        return `a(${part.href}|${short(part.parts)}${part.host ? `|${part.host}` : ''})`;
      if ('id' in part) return `${part.kind}(${part.id})`;
      if (part.kind === 'time') return `time(${part.at})`;
      return `${part.kind}(${short(part.parts)})`;
    })
    .join('');
}

function line(text: string, dialect?: 'markdown' | 'mrkdwn' | 'discord'): string {
  const [block, ...more] = parseMarkdown(text, dialect);
  return block?.kind === 'paragraph' && more.length === 0
    ? short(block.parts)
    : JSON.stringify([block, ...more]);
}

const kinds = (text: string): string[] => parseMarkdown(text).map((block) => block.kind);

const wordsOf = (blocks: readonly Block[]): string => JSON.stringify(blocks);

describe('inline text', () => {
  test.each([
    ['plain', 'plain'],
    ['**bold** and *it* and _it_ and ~~no~~', 'strong(bold) and em(it) and em(it) and strike(no)'],
    ['**bold with *both* inside**', 'strong(bold with em(both) inside)'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['**unclosed and `open', '**unclosed and `open'],
    ['`**code**` ``a`b``', 'code(**code**) code(a`b)'],
    [String.raw`\*not\* em`, '*not* em'],
    ['one\ntwo', 'one⏎two'],
    ['a &lt;b&gt; &amp;amp;', 'a <b> &amp;'],
    ['[words](https://example.com/a_(b)) end', 'a(https://example.com/a_(b)|words|example.com) end'],
    ['see https://example.com/x, ok', 'see a(https://example.com/x|https://example.com/x), ok'],
    ['<@U123> <#C9> <!channel>', 'user(U123) channel(C9) special(channel)'],
  ])('%s', (text, expected) => {
    expect(line(text)).toBe(expected);
  });

  test.each([
    ['*bold* _it_ ~no~ `x`', 'strong(bold) em(it) strike(no) code(x)'],
    ['<https://example.com/?a=1&amp;b=2|words>', 'a(https://example.com/?a=1&b=2|words|example.com)'],
    ['1 * 2 * 3, a*b*c', '1 * 2 * 3, a*b*c'],
    ['# not a heading', '# not a heading'],
  ])('mrkdwn: %s', (text, expected) => {
    expect(line(text, 'mrkdwn')).toBe(expected);
  });

  test.each([
    '[x](javascript:alert(1))',
    '<javascript:alert(1)|x>',
    '[x](data:text/html,x)',
    '<img src=x onerror=y>',
  ])('only http and mail links are links: %s', (text) => {
    expect(wordsOf(parseMarkdown(text))).not.toContain('"link"');
    expect(wordsOf(parseMarkdown(text, 'mrkdwn'))).not.toContain('"link"');
  });
});

describe('blocks', () => {
  test('of every kind are parsed one after the other', () => {
    const text =
      '# Title\nwords\n\n- a\n- b\n\n1. x\n\n> said\n\n---\n```js\ncode\n```\n| a | b |\n|---|---|\n| 1 | 2 |\nend';
    expect(kinds(text)).toEqual([
      'heading',
      'paragraph',
      'list',
      'list',
      'quote',
      'rule',
      'fence',
      'table',
      'paragraph',
    ]);
  });

  test('an open fence runs to the end, so that growing code stays code', () => {
    expect(parseMarkdown('so:\n```ts\nconst a = 1;\n# no')).toMatchObject([
      { kind: 'paragraph' },
      { kind: 'fence', language: 'ts', text: 'const a = 1;\n# no' },
    ]);
  });

  test('lists nest by indentation, keep their start and their ticks', () => {
    expect(parseMarkdown('3. a\n   - b\n     more\n   - [x] c\n4. d')).toMatchObject([
      {
        ordered: true,
        start: 3,
        items: [{ lists: [{ ordered: false, items: [{}, { done: true }] }] }, { lists: [] }],
      },
    ]);
  });

  test('table cells may contain bars in code or escaped, and rows are as wide as the header', () => {
    const [table] = parseMarkdown(
      String.raw`| a | b |` + '\n|:--|--:|\n' + String.raw`| x\|y | ${'`p|q`'} | extra |` + '\n| one |',
    );
    if (table?.kind !== 'table') throw new Error('no table');
    expect(table.rows.map((row) => row.map((cell) => short(cell)))).toEqual([
      ['x|y', 'code(p|q)'],
      ['one', ''],
    ]);
  });
});

test('hostile lengths are parsed without a hang', () => {
  const texts = [
    '*a '.repeat(40_000),
    '['.repeat(100_000),
    '`'.repeat(99_999),
    '> '.repeat(50_000),
    '**a'.repeat(40_000),
  ];
  for (const text of texts) runWithTimeLimit(() => expect(parseMarkdown(text).length).toBeGreaterThan(0));
});

describe("Discord's Markdown", () => {
  test.each([
    ['</ask:157> and </settings model:158>', 'command(ask) and command(settings model)'],
    ['<@1> <@!2> <@&3> <#4>', 'user(1) user(2) role(3) channel(4)'],
    ['<:blob:12> <a:dance:13>', ':blob: :dance:'],
    ['__under__ **bold** *it* ~~no~~', 'underline(under) strong(bold) em(it) strike(no)'],
    ['||hidden **words**||', 'spoiler(hidden strong(words))'],
    ['a &lt;b&gt; <b>', 'a &lt;b&gt; <b>'],
    ['<https://example.com/a>', 'a(https://example.com/a|https://example.com/a)'],
    ['snake_case_name', 'snake_case_name'],
    ['</ask> </:1> </ask:x>', '</ask> </:1> </ask:x>'],
  ])('%s', (text, expected) => {
    expect(line(text, 'discord')).toBe(expected);
  });

  test('timestamps are shown in their style', () => {
    expect(parseMarkdown('<t:1700000000:R>', 'discord')).toEqual([
      { kind: 'paragraph', parts: [{ kind: 'time', at: 1_700_000_000_000, style: 'R' }] },
    ]);
  });

  // Discord's own windows show these as they were typed.
  test.each(['| a | b |\n|---|---|\n| 1 | 2 |', '#### deep', '---', '<U123> <!channel>'])(
    '%s is plain',
    (text) => {
      expect(parseMarkdown(text, 'discord').map(({ kind }) => kind)).toEqual(['paragraph']);
    },
  );

  test('small text, and a quotation of the rest', () => {
    expect(parseMarkdown('-# small\nx\n>>> one\n\ntwo', 'discord').map(({ kind }) => kind)).toEqual([
      'small',
      'paragraph',
      'quote',
    ]);
  });
});

test('in Slack a Discord command is text, and a date has its fallback', () => {
  expect(line('</ask:157>')).toBe('</ask:157>');
  expect(parseMarkdown('<!date^1^{date}|14 March>', 'mrkdwn')).toEqual([
    { kind: 'paragraph', parts: [{ kind: 'special', id: 'date^1^{date}', label: '14 March' }] },
  ]);
});
