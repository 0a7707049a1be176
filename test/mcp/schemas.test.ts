import { describe, expect, test } from '@jest/globals';
import { normalizeSchema } from '../../shared/mcp/normalize-schema.ts';
import { toServerTools } from '../../shared/mcp/render-result.ts';

const STRING = { type: 'string' };
const form = (kind: object, more: object, required: readonly string[]) => ({
  type: 'object',
  properties: { kind, ...more },
  required: ['kind', ...required],
});

/** What the model sees of a parameter with this schema. */
function readProperty(schema: unknown, $defs: object = {}): unknown {
  const parameters = normalizeSchema({ type: 'object', properties: { a: schema }, $defs });
  return parameters?.['properties'];
}

const names = (count: number, prefix = 'p') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('the model can choose every alternative:', () => {
  const CARD = form({ const: 'card', type: 'string' }, { number: STRING }, ['number']);
  const BANK = form({ const: 'bank', type: 'string' }, { iban: STRING }, ['iban']);

  test.each<[string, object, object, unknown]>([
    [
      'a union of Pydantic, told apart by a constant',
      {
        oneOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Bank' }],
        discriminator: { propertyName: 'kind' },
      },
      { Card: CARD, Bank: BANK },
      {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['card', 'bank'] }, number: STRING, iban: STRING },
        required: ['kind'],
      },
    ],
    [
      'objects with the same property, named in one and free in the other',
      { anyOf: [CARD, form(STRING, {}, [])] },
      {},
      { type: 'object', properties: { kind: STRING, number: STRING }, required: ['kind'] },
    ],
    ['named values, or any other', { anyOf: [{ ...STRING, enum: ['red', 'blue'] }, STRING] }, {}, STRING],
    [
      'named values, or a list',
      {
        anyOf: [
          { ...STRING, enum: ['red', 'blue'] },
          { type: 'array', items: STRING },
        ],
      },
      {},
      { ...STRING, enum: ['red', 'blue'] },
    ],
  ])('%s', (_, schema, $defs, expected) => {
    expect(readProperty(schema, $defs)).toEqual({ a: expected });
  });
});

test('a condition within a group of conditions has its properties, as at the top', () => {
  const Condition = { type: 'object', properties: { field: STRING, equals: STRING } };
  const either = { anyOf: [{ $ref: '#/$defs/Condition' }, { $ref: '#/$defs/Group' }] };
  const Group = {
    type: 'object',
    properties: { and: { type: 'array', items: { $ref: '#/$defs/Condition' } } },
  };
  expect(readProperty(either, { Condition, Group })).toEqual({
    a: {
      type: 'object',
      properties: { field: STRING, equals: STRING, and: { type: 'array', items: Condition } },
    },
  });
});

test('groups that are too large where they repeat are described once', () => {
  const more = Object.fromEntries(names(20).map((name) => [name, STRING]));
  const Condition = { type: 'object', properties: more };
  const either = { anyOf: [{ $ref: '#/$defs/Condition' }, { $ref: '#/$defs/Group' }] };
  const list = { type: 'array', items: either };
  const Group = { type: 'object', properties: { and: list, or: list, not: list } };
  expect(readProperty(either, { Condition, Group })).toMatchObject({
    a: { properties: { ...more, and: { type: 'array', items: { type: 'object' } } } },
  });
});

test.each([
  ['#/$defs/List%3CItem%3E', 'List<Item>'],
  ['#/$defs/List<Item>', 'List<Item>'],
  ['#/$defs/100%', '100%'],
])('the reference %s leads to %s', (reference, name) => {
  expect(readProperty({ $ref: reference }, { [name]: STRING })).toEqual({ a: STRING });
});

describe('a schema that means harm', () => {
  test('has at most 64 alternatives', () => {
    const anyOf = names(1_000).map((name) => ({ type: 'object', properties: { [name]: {} } }));
    const properties = Object.fromEntries(names(64).map((name) => [name, {}]));
    expect(normalizeSchema({ anyOf })).toEqual({ type: 'object', properties });
  });

  // Each of these took many seconds, and more than the time of a test.
  test('is not compared name by name', () => {
    const anyOf = ['a', 'b'].map((prefix) => ({ type: 'object', required: names(200_000, prefix) }));
    expect(normalizeSchema({ anyOf })).toEqual({ type: 'object', properties: {} });
  });

  test('is not copied for each alternative', () => {
    const Large = { type: 'object', ...Object.fromEntries(names(100_000).map((name) => [name, {}])) };
    const many = { type: 'object', anyOf: Array.from({ length: 400 }, () => ({ $ref: '#/$defs/Large' })) };
    expect(readProperty(many, { Large })).toEqual({ a: { type: 'object', properties: {} } });
  });

  test('is not read for a tool that is not offered, nor twice for one name', () => {
    const read: string[] = [];
    const tool = (name: string) => ({
      name,
      inputSchema: {
        get properties() {
          read.push(name);
          return {};
        },
      },
    });
    const tools = toServerTools([tool('no name'), tool('find'), tool('find')]);
    expect(tools.map(({ name }) => name)).toEqual(['find']);
    expect(new Set(read)).toEqual(new Set(['find']));
    const once = read.length;
    read.length = 0;
    toServerTools([tool('find')]);
    expect(once).toBe(read.length);
  });
});
