import { describe, expect, test } from '@jest/globals';
import { assert, constantFrom, property, string } from 'fast-check';
import { readCommand } from '../../../shared/flows/commands/read.ts';
import type { CommandSpec } from '../../../shared/flows/commands/spec.ts';
import { COMMANDS } from '../../../shared/flows/commands/all.ts';
import { typed } from './called.ts';

const PAINT: CommandSpec = {
  name: 'paint',
  options: [
    {
      name: 'what',
      kind: 'text',
      required: true,
      choices: ['wall', 'door'],
    },
    { name: 'coats', kind: 'number', least: 1, most: 3 },
    { name: 'gloss', kind: 'yes-no' },
    { name: 'for', kind: 'user' },
    { name: 'words', kind: 'text', rest: true, most: 20 },
  ],
};
const read = (text: string) => readCommand(typed(text), 'slack', [PAINT]);
const options = (text: string) => {
  const asked = read(text);
  return asked.kind === 'command' ? asked.options : asked;
};

describe('a command of Slack, as people type it', () => {
  test.each([
    ['paint wall', { what: 'wall' }],
    ['PAINT Wall', { what: 'wall' }],
    ['paint wall 2 yes', { what: 'wall', coats: 2, gloss: true }],
    ['paint wall yes', { what: 'wall', gloss: true }],
    ['paint coats:3 door', { what: 'door', coats: 3 }],
    ['paint door for:<@U123|ann> words:"two words"', { what: 'door', for: 'U123', words: 'two words' }],
    [
      'paint door 1 no <@U1> say it: now',
      { what: 'door', coats: 1, gloss: false, for: 'U1', words: 'say it: now' },
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

  test('alone it is a menu, and an unknown word is named', () => {
    expect(read('  ')).toEqual({ kind: 'menu' });
    expect(read('Bake a cake')).toEqual({ kind: 'unknown', word: 'Bake' });
  });

  test('whatever is typed is read', () => {
    assert(
      property(constantFrom(...COMMANDS, PAINT), string({ maxLength: 300 }), ({ name }, text) => {
        const asked = readCommand(typed(`${name} ${text}`), 'slack', [...COMMANDS, PAINT]);
        expect(['command', 'wrong']).toContain(asked.kind);
      }),
    );
  });

  test('every word of a question stays in it', () => {
    const asked = readCommand(typed('ask Why is  the sky blue? note: say yes'), 'slack', COMMANDS);
    expect(asked).toMatchObject({ options: { question: 'Why is  the sky blue? note: say yes' } });
  });
});

const call = (given: Record<string, string | number | boolean>) =>
  readCommand({ kind: 'command', name: 'paint', options: given, attachments: [] }, 'discord', [PAINT]);

describe('a command of Discord', () => {
  test('comes with its options read, and they are looked at all the same', () => {
    expect(call({ what: 'wall', coats: 2, gloss: true })).toMatchObject({
      options: { what: 'wall', coats: 2, gloss: true },
    });
    expect(call({ what: 'house' })).toMatchObject({ kind: 'wrong', why: 'not-a-choice' });
    expect(call({})).toMatchObject({ kind: 'wrong', why: 'missing' });
  });
});

describe('every command', () => {
  test.each(COMMANDS)('$name is as both platforms want it', ({ name, options: given }) => {
    expect(name).toMatch(/^[a-z][a-z-]{0,31}$/);
    expect(given.length).toBeLessThanOrEqual(25);
    const order = given.map(({ required }) => Number(required !== true));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    for (const option of given) {
      expect(option.name).toMatch(/^[a-z][a-z-]{0,31}$/);
      const choices = option.kind === 'text' ? (option.choices ?? []) : [];
      expect(choices.length).toBeLessThanOrEqual(25);
    }
  });
});
