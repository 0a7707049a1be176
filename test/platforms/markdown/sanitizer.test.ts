import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createSanitizer, sanitize, sanitizeExcept } from '../../../shared/platforms/markdown/sanitizer.ts';

test('the host is shown after all links except those of the bot', () => {
  const text =
    '[1](https://a.example/x) [1](https://a.example/xy) [2](https://b.example/(c)) [3](https://e.example)';
  expect(sanitizeExcept(text, ['https://a.example/x', 'https://b.example/(c)'])).toBe(
    '[1](https://a.example/x) [1](https://a.example/xy) (a.example) [2](https://b.example/(c)) [3](https://e.example) (e.example)',
  );
  expect(sanitizeExcept('<!channel> [x](https://a.example)', [])).toBe(
    '< !channel> [x](https://a.example) (a.example)',
  );
});

/** Invisible letters, as in the flags of regions. */
const tags = (letters: string): string =>
  Array.from(letters, (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');
const [ENGLAND, WALES] = ['gbeng', 'gbwls'].map((region) => `🏴${tags(region)}\u{e007f}`);

describe('sanitized text', () => {
  test.each([
    ['plain **bold** _it_ and 2 < 3 & 4 > 1', 'plain **bold** _it_ and 2 < 3 & 4 > 1'],
    ['<!channel> <!here|here> <!subteam^S1>', '< !channel> < !here|here> < !subteam^S1>'],
    ['<@U123> <#C123|general>', '< @U123> < #C123|general>'],
    ['<@123> <@!123> <@&123> a<@& b', '< @123> < @!123> < @&123> a<@& b'],
    ['`<!channel>` and `<@U1>`', '`< !channel>` and `< @U1>`'],
    ['```\n<!everyone> <!DOCTYPE html>\n```', '```\n< !everyone> <!DOCTYPE html>\n```'],
    [
      'hey @channel, @Here! a@here.com @hereby @everyone',
      'hey ＠channel, ＠Here! a@here.com @hereby ＠everyone',
    ],
    ['`@channel = 1`\n```rb\n@channel\n```', '`@channel = 1`\n```rb\n@channel\n```'],
    ['[bank](https://evil.example/a_(b)?x=1) ok', '[bank](https://evil.example/a_(b)?x=1) (evil.example) ok'],
    [
      '[x](<https://evil.example/a b> "the (title)")',
      '[x](<https://evil.example/a b> "the (title)") (evil.example)',
    ],
    ['[https://a.example](https://a.example)', '[https://a.example](https://a.example)'],
    ['[a.example](https://a.example/long/way)', '[a.example](https://a.example/long/way)'],
    ['[x](https://good.example@evil.example/)', '[x](https://good.example@evil.example/) (evil.example)'],
    ['[x](https://evil\\.example)', '[x](https://evil\\.example) (https://evil\\.example)'],
    [
      '[bank.example !evil.example](https://evil.example)',
      '[bank.example !evil.example](https://evil.example) (evil.example)',
    ],
    ['[x](mailto:a@b.example)', '[x](mailto:a@b.example) (mailto:a b.example)'],
    ['![chart](https://e.example/c.png)', '[chart](https://e.example/c.png) (e.example)'],
    ['Stop![x](https://e.example)', 'Stop\\![x](https://e.example) (e.example)'],
    ['<https://evil.example|bank.example>', '< https://evil.example|bank.example>'],
    ['<https://a.example> <div> a<b', '<https://a.example> <div> a<b'],
    ['[x][1]\n\n[1]: https://evil.example', '[x][1]\n\n[1]\\: https://evil.example'],
    ['`[x](https://a.example)`', '`[x](https://a.example)`'],
    ['`ps aux | grep *x*`, `string | null`', '`ps aux | grep *x*`, `string | null`'],
    [
      '`a | b`, see [x](https://a.example), or `c || d`',
      '`a | b`, see [x](https://a.example) (a.example), or `c || d`',
    ],
    [
      '`a | [x](https://a.example)`, [y](https://b.example) and `c`',
      'ˋa | [x](https://a.example) (a.example)ˋ, [y](https://b.example) (b.example) and `c`',
    ],
    ['`a | @here` `a | <https://a.example`', 'ˋa | ＠hereˋ ˋa | <https://a.exampleˋ'],
    ['| `x \\| y` | `a | b` |', '| `x \\| y` | `a | b` |'],
    ['```md\n[x](https://a.example)\n```\n', '```md\n[x](https://a.example)\n```\n'],
    [
      '- item\n  ```\n  handlers[name](event)\n  ```\n[x](https://a.example)',
      '- item\n  ```\n  handlers[name](event)\n  ```\n[x](https://a.example) (a.example)',
    ],
    ['a\u202Eb\u200Bc\uFEFF\u0007d\r\n', 'abcd\n'],
    ['👩‍💻 a\u200Db می‌خواهم', '👩‍💻 ab می‌خواهم'],
    ['x\u2028y\u2029z\vw', 'x y z w'],
    [`${ENGLAND}${WALES}🏴${tags('gbxyz')} a${tags('gbeng')}`, `${ENGLAND}${WALES}🏴 a`],
    ['<\u200B!channel>', '< !channel>'],
    ['\\[x](https://a.example) \\`', '\\[x](https://a.example) (a.example) ˋ'],
    [
      '[https://bank.example/\\[evil.example](https://evil.example)',
      '[https://bank.example/\\[evil.example](https://evil.example) (evil.example)',
    ],
    ['\\\\[a.example](https://a.example)', '\\\\[a.example](https://a.example)'],
    [
      '[x][a\nb\\[c]\n\n[a\nb\\[c]: https://evil.example',
      '[x][a\nb\\[c]\n\n[a\nb\\[c]\\: https://evil.example',
    ],
  ])('%j becomes %j', (from, to) => {
    expect(sanitize(from)).toBe(to);
  });

  test.each([
    ['a fence in a quotation ends with it', '> ```\n[bank](https://evil.example)'],
    ['a fence in a list ends with it', '- ```\n[bank](https://evil.example)'],
    [
      'a fence that starts on a later line of a list ends with the list',
      '1. x\n   ```\n[bank](https://evil.example)',
    ],
    ['a backtick without a partner hides nothing', '`a\n\nb [bank](https://evil.example) `c`'],
    ['a cell of a table ends a code span', '| `a | [bank](https://evil.example) ` |'],
    ['an indented line is not a fence', '    ```\n[bank](https://evil.example)'],
  ])('%s', (_, hostile) => {
    expect(sanitize(hostile)).toContain('(https://evil.example) (evil.example)');
  });

  test.each([400, 998, 999, 1_000, 3_000])(
    'shows the host behind a label of which %i blanks hide the rest, also if the first or last words are the host',
    (blanks) => {
      const label = ['https://bank.example', 'evil.example'];
      for (const words of [label, label.toReversed()])
        for (const blank of [' ', '\u3000']) {
          const link = `[${words.join(blank.repeat(blanks))}](https://evil.example)`;
          expect(sanitize(link)).toBe(`${link} (evil.example)`);
        }
    },
  );

  test('escapes a link definition whose label of two lines is long', () => {
    const label = `a\n${'b'.repeat(990)}`;
    expect(sanitize(`[${label}]: https://evil.example`)).toBe(`[${label}]\\: https://evil.example`);
  });

  test('leaves the host out only behind a label that is the host', () => {
    const part = fc.constantFrom(
      '[',
      '\\[',
      '\\\\',
      '\\',
      '\\]',
      ']',
      ' ',
      '\n',
      '!',
      'bank.example',
      'evil.example',
      '`',
      '<',
      '>',
    );
    const parts = fc.array(part, { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 3 }), (labels) => {
        const text = sanitize(
          `[${labels.map((label) => `${label}evil.example](https://evil.example)`).join('')}`,
        );
        for (const { index } of text.matchAll(/\]\(https:\/\/evil\.example\)(?! \(evil\.example\))/gu)) {
          const before = text.slice(0, index);
          // Code, which is no link.
          if ((before.match(/`/gu)?.length ?? 0) % 2 === 1) continue;
          expect([text, /(?<=^|[^\\])(?:\\\\)*\[\s*(?:https:\/\/)?evil\.example\s*$/u.test(before)]).toEqual([
            text,
            true,
          ]);
        }
      }),
      { numRuns: 5_000, examples: [[['[bank.example\\[']]] },
    );
  });

  test('is the same for any chunk sizes', () => {
    const token = fc.constantFrom(
      '<!channel>',
      '<@U1>',
      '<#C1|a>',
      '<',
      '!',
      '@here',
      '@',
      'here',
      '`',
      '``',
      '```',
      '```js\n',
      '~~~\n',
      '\n',
      '\n\n',
      '[',
      ']',
      '](',
      '(',
      ')',
      'https://a.example/b',
      '<https://a.example|b>',
      ':',
      '\\',
      '|',
      '||',
      '> ',
      '- ',
      '1. ',
      '    ',
      '"',
      'word ',
      'x',
      '\u200D',
      '\u200B',
      '\u202E',
      '😀',
      '\ud83d',
      '\udc00',
      '🏴',
      ENGLAND,
      tags('gb'),
      tags('eng'),
      '\u{e007f}',
      '&',
      '&lt;',
      '![',
    );
    const text = fc
      .array(fc.oneof(token, fc.string({ maxLength: 5 })), { maxLength: 60 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (whole, sizes) => {
        const markup = createSanitizer();
        let out = '';
        for (let at = 0, i = 0; at < whole.length; i += 1) {
          const size = sizes[i % sizes.length] ?? 1;
          out += markup.feed(whole.slice(at, at + size));
          at += size;
        }
        out += markup.end();
        expect(out).toBe(sanitize(whole));
        expect(out).not.toMatch(/<!(channel|here|everyone|subteam|group)|<[@#]\w/i);
        expect(out.isWellFormed()).toBe(true);
      }),
      {
        numRuns: 2_000,
        examples: [
          ['~~~\n<!channel>````', [1]],
          ['```js\n!``` `', [1]],
        ],
      },
    );
  });

  test('holds back only ambiguous text', () => {
    const markup = createSanitizer();
    expect(markup.feed('Hello wor')).toBe('Hello wor');
    expect(markup.feed('ld, see [the ')).toBe('ld, see [the ');
    expect(markup.feed('page](https://a.ex')).toBe('page');
    expect(markup.feed('ample)')).toBe('](https://a.example) (a.example)');
    expect(markup.feed(' and `co')).toBe(' and ');
    expect(markup.feed('de` <')).toBe('`code` ');
    expect(markup.end()).toBe('<');
  });
});

test.each([
  [
    ['2', ' +', ' 2'],
    ['', '2 +', ' 2'],
  ],
  [
    ['-', '5', ' degrees'],
    ['', '-5', ' degrees'],
  ],
  [
    ['1', '.', ' ', '``', 'code'],
    ['', '', '', '', '1. '],
  ],
  [
    ['Four', '.'],
    ['Four', '.'],
  ],
])('a line that begins with %j is shown as far as it can be no fence', (chunks, expected) => {
  const markup = createSanitizer();
  expect(chunks.map((chunk) => markup.feed(chunk))).toEqual(expected);
});
