import { describe, expect, test } from '@jest/globals';
import { array, assert, constant, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { parseCommand } from '../../../shared/commands/arguments/parse-arguments.ts';
import type { CommandSpec } from '../../../shared/commands/framework/command-spec.ts';
import { spec as summarise } from '../../../shared/commands/definitions/summarise.ts';
import { COMMANDS } from '../../../shared/commands/command-list.ts';
import { listChoiceLabels, matchesChoice } from '../../../shared/commands/registry.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { typedCommand } from '../command-harness.ts';

const PAINT: CommandSpec = {
  name: 'paint',
  options: [
    {
      name: 'what',
      kind: 'text',
      required: true,
      choices: ['wall', 'door'],
    },
    { name: 'coats', kind: 'number', min: 1, max: 3 },
    { name: 'gloss', kind: 'yes-no' },
    { name: 'for', kind: 'user' },
    { name: 'words', kind: 'text', rest: true, max: 20 },
  ],
};
const read = (text: string) => parseCommand(typedCommand(text), 'slack', [PAINT]);
const usage = (text: string) => parseCommand(typedCommand(`usage ${text}`), 'slack', COMMANDS);
const options = (text: string) => {
  const command = read(text);
  return command.kind === 'command' ? command.options : command;
};

describe('a typed command in Slack', () => {
  test.each([
    ['paint wall', { what: 'wall' }],
    ['PAINT Wall', { what: 'wall' }],
    ['paint wall 2 yes', { what: 'wall', coats: 2, gloss: true }],
    ['paint wall yes', { what: 'wall', gloss: true }],
    ['paint coats:3 door', { what: 'door', coats: 3 }],
    [
      'paint door for:<@U123|ann> words:"two words"',
      { what: 'door', for: '<@U123|ann>', words: 'two words' },
    ],
    [
      'paint door 1 no <@U1> say it: now',
      { what: 'door', coats: 1, gloss: false, for: '<@U1>', words: 'say it: now' },
    ],
    ['paint door words:"a\nb"', { what: 'door', words: 'a\nb' }],
  ])('%j', (text, expected) => {
    expect(options(text)).toEqual(expected);
  });

  test.each([
    ['paint', 'what', 'missing'],
    ['paint house', 'what', 'not-a-choice'],
    ['paint wall coats:many', 'coats', 'not-a-number'],
    ['paint wall coats:9', 'coats', 'not-a-number'],
    ['paint wall gloss:perhaps', 'gloss', 'not-yes-no'],
    ['paint wall words:"123456789 123456789 1"', 'words', 'too-long'],
  ])('%j is wrong', (text, name, why) => {
    expect(read(text)).toMatchObject({ kind: 'wrong', why, option: { name } });
  });

  test('without text it opens the menu; an unknown command is reported', () => {
    expect(read('  ')).toEqual({ kind: 'menu' });
    expect(read('Bake a cake')).toEqual({ kind: 'unknown', word: 'Bake' });
  });

  test.each([
    ['a colon of another script', 'paint what：wall coats：2', { what: 'wall', coats: 2 }],
    ['wide letters and digits', 'paint ＷＡＬＬ ３', { what: 'wall', coats: 3 }],
    ['names in capitals', 'paint What:Wall COATS:2', { what: 'wall', coats: 2 }],
    ['a blank behind the colon', 'paint door coats: 3 gloss: ja', { what: 'door', coats: 3, gloss: true }],
    ['English quotes of a phone', 'paint wall words:“two words”', { what: 'wall', words: 'two words' }],
    ['German quotes', 'paint wall words:„two words“', { what: 'wall', words: 'two words' }],
    ['French quotes', 'paint wall words:« two words »', { what: 'wall', words: ' two words ' }],
    ['Japanese quotes', 'paint wall words:「two words」', { what: 'wall', words: 'two words' }],
    ['an inch is no quote', 'paint wall 5" wide', { what: 'wall', words: '5" wide' }],
    [
      'a name of an option in quotes is a word',
      'paint wall "for:me" now',
      { what: 'wall', words: '"for:me" now' },
    ],
    ['a word with a colon is a word', 'paint wall note:this', { what: 'wall', words: 'note:this' }],
    ['an address is a word', 'paint wall https://a.example', { what: 'wall', words: 'https://a.example' }],
  ] as const)('%s', (_, text, expected) => {
    expect(options(text)).toEqual(expected);
  });

  test.each([
    ['paint wall coats:2 coats:3', 'coats', 'twice'],
    ['paint wall coats:', 'coats', 'empty'],
    ['paint wall words:""', 'words', 'empty'],
    ['paint wall words:"two', 'words', 'unclosed'],
    ['paint wall words:„two', 'words', 'unclosed'],
    ['paint wall coats:2.5', 'coats', 'not-whole'],
    ['paint wall coats:1,5', 'coats', 'not-whole'],
    ['paint yes wall', 'what', 'not-a-choice'],
    ['paint wall coats:1,500', 'coats', 'not-a-number'],
    ['paint wall coats:0x2', 'coats', 'not-a-number'],
    ['paint wall coats:٢', 'coats', 'not-a-number'],
    ['paint what:constructor', 'what', 'not-a-choice'],
  ])('%j is wrong, and that is said of the option', (text, name, why) => {
    expect(read(text)).toMatchObject({ kind: 'wrong', why, option: { name } });
  });

  test('a misspelled option name is reported, not taken as a word', () => {
    expect(read('paint wall glos:yes')).toMatchObject({ kind: 'extra', near: { name: 'gloss' } });
    expect(read('paint caots:2 wall')).toMatchObject({ kind: 'extra', near: { name: 'coats' } });
    expect(read('paint wall say glos:yes again')).toMatchObject({ options: { words: 'say glos:yes again' } });
  });

  test('words that belong to no option are reported', () => {
    expect(usage('mine 7 bogus words')).toMatchObject({ kind: 'extra', text: 'bogus words' });
    expect(usage('bogus')).toMatchObject({ kind: 'wrong', why: 'not-a-choice', option: { name: 'of' } });
    expect(usage('mine colour:red')).toMatchObject({ kind: 'extra', text: 'colour:red' });
    expect(usage('7 channel')).toMatchObject({ options: { of: 'channel', days: 7 } });
    expect(parseCommand(typedCommand('why not'), 'slack', COMMANDS)).toMatchObject({
      kind: 'extra',
      text: 'not',
    });
    expect(parseCommand(typedCommand('quota set $5 a day'), 'slack', COMMANDS)).toMatchObject({
      options: { do: 'set', amount: '$5 a day' },
    });
  });

  test('each of 10,000 random inputs is parsed without losing a word, or refused', () => {
    let words = 0;
    const word = constant(null).map(() => `w${(words += 1)}`);
    const odd = oneof(
      word,
      string({ unit: 'binary', maxLength: 12 }),
      constantFrom(
        '"',
        '“',
        '„',
        '«',
        '：',
        ':',
        '',
        '٣',
        '７',
        'for:',
        'ja',
        'off',
        '<@U1|a b>',
        '$5/day',
        '{"a":1}',
        '\u3000',
      ),
    );
    const option = tuple(
      constantFrom(
        ...COMMANDS.flatMap((one) => one.options.map(({ name }) => name)),
        'fro',
        'toString',
        '__proto__',
      ),
      constantFrom(':', '：', ': ', '::'),
      constantFrom(['', ''], ['"', '"'], ['“', '”'], ['„', '“'], ['«', '»'], ['「', '」'], ['"', '']),
      oneof(word, odd, constantFrom('yes', 'channel', 'set', '3')),
    ).map(([name, colon, [open, close], value]) => `${name}${colon}${open}${value}${close}`);
    const text = array(oneof(odd, option), { maxLength: 8 }).map((parts) => parts.join(' '));
    assert(
      property(constantFrom(...COMMANDS, PAINT), text, ({ name }, input) => {
        const command = parseCommand(typedCommand(`${name} ${input}`), 'slack', [...COMMANDS, PAINT]);
        expect(['command', 'wrong', 'extra']).toContain(command.kind);
        if (command.kind !== 'command') return;
        const values = Object.values(command.options).join(' ');
        for (const [one] of input.matchAll(/(?<![\p{L}\p{N}])w\d+/gu)) expect(values).toContain(one);
      }),
      { numRuns: 10_000 },
    );
  });

  test('every word of a question is kept', () => {
    const command = parseCommand(typedCommand('ask Why is  the sky blue? note: say yes'), 'slack', COMMANDS);
    expect(command).toMatchObject({ options: { question: 'Why is  the sky blue? note: say yes' } });
  });
});

const call = (values: Record<string, string | number | boolean>) =>
  parseCommand({ kind: 'command', name: 'paint', options: values, attachments: [] }, 'discord', [PAINT]);

describe('a command in Discord', () => {
  test('has parsed options, which are validated again', () => {
    expect(call({ what: 'wall', coats: 2, gloss: true })).toMatchObject({
      options: { what: 'wall', coats: 2, gloss: true },
    });
    expect(call({ what: 'house' })).toMatchObject({ kind: 'wrong', why: 'not-a-choice' });
    expect(call({})).toMatchObject({ kind: 'wrong', why: 'missing' });
  });
});

describe('every command', () => {
  test.each(COMMANDS)('$name is as both platforms want it', ({ name, options: optionSpecs }) => {
    expect(name).toMatch(/^[a-z][a-z-]{0,31}$/);
    expect(optionSpecs.length).toBeLessThanOrEqual(25);
    const order = optionSpecs.map(({ required }) => Number(required !== true));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    for (const option of optionSpecs) {
      expect(option.name).toMatch(/^[a-z][a-z-]{0,31}$/);
      const choices = option.kind === 'text' ? (option.choices ?? []) : [];
      expect(choices.length).toBeLessThanOrEqual(25);
    }
  });
});

const inWords = (text: string) => parseCommand(typedCommand(text), 'slack', COMMANDS, matchesChoice);

describe('a choice typed as its label', () => {
  test.each([
    ['summarise since yesterday', { period: 'yesterday' }],
    ['summarise Yesterday', { period: 'yesterday' }],
    ['summarise gestern', { period: 'yesterday' }],
    ['summarise 7 days', { period: 'week' }],
    ['summarise 7  Days', { period: 'week' }],
    ['summarise the last 7 days', { period: 'week' }],
    ['summarise die letzten 7 Tage', { period: 'week' }],
    ['summarise period:"7 jours"', { period: 'week' }],
    ['summarise 過去 ７ 日間', { period: 'week' }],
    ['summarise since my last message here', { period: 'last-message' }],
    ['weekly on segunda 9', { do: 'on', day: 'monday', at: '9' }],
    ['weekly abonnieren freitags 9:30', { do: 'on', day: 'friday', at: '9:30' }],
    ['weekly on miercoles', { do: 'on', day: 'wednesday' }],
    ['weekly on 周日 9', { do: 'on', day: 'sunday', at: '9' }],
    ['schedule days:täglich digest:week', { days: 'every-day' }],
    ['schedule days:平日 digest:week', { days: 'weekdays' }],
    ['persona benutzen pirate for:“diesen Kanal”', { do: 'use', name: 'pirate', for: 'channel' }],
  ])('%j', (text, expected) => {
    expect(inWords(text)).toMatchObject({ kind: 'command', options: expected });
  });

  test.each(['summarise tomorrow', 'summarise since I last read', 'summarise days'])('%j is none', (text) => {
    expect(inWords(text)).toMatchObject({ kind: 'wrong', why: 'not-a-choice', option: { name: 'period' } });
  });

  test('is parsed for each choice of every option', () => {
    for (const spec of COMMANDS) {
      for (const option of spec.options) {
        if (option.kind !== 'text') continue;
        const meant = (option.choices ?? []).flatMap((choice) =>
          [choice, ...new Set(listChoiceLabels(spec, option.name, choice))].map(
            (words) => [words, choice] as const,
          ),
        );
        for (const [words, choice] of meant) {
          const command = inWords(`${spec.name} ${option.name}:"${words}"`);
          if (command.kind === 'wrong' && command.why === 'missing' && command.option !== option) continue;
          expect([spec.name, words, command]).toMatchObject([
            spec.name,
            words,
            { kind: 'command', options: { [option.name]: choice } },
          ]);
        }
      }
    }
    expect(listChoiceLabels(summarise, 'period', 'week')).toHaveLength(3 * LOCALES.length);
  });
});
