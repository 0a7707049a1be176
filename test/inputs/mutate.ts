import type { Random } from '../faults/seeded-random.ts';
import { at, extended, type Json, membersOf, type Path, pathsIn, replaced } from './json.ts';

export const pick = <T>(random: Random, of: readonly [T, ...T[]]): T =>
  of[Math.floor(random() * of.length)] ?? of[0];
export const chance = (random: Random, share: number): boolean => random() < share;
export const upTo = (random: Random, max: number): number => Math.floor(random() * (max + 1));

const deep = (depth: number, leaf: Json): Json => {
  let value = leaf;
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Characters that break parsers: NUL, lone surrogates, non-characters, direction marks, line separators. */
const CHARACTERS = [
  '\0',
  '\uD800',
  '\uDC00',
  '\uFFFE',
  '\uFFFF',
  '\u202E',
  '\u2028',
  '\u200B',
  '\uFEFF',
  '\x1B[2J',
  '😀',
  'ß',
  'İ',
  '\r\n',
  '\t',
  '"',
  '\\',
  '`',
  '<',
  '>',
  '&',
  '|',
  '#',
  '%',
  '{{',
  '[](',
  '~~~',
  '<@U1>',
  '<!channel>',
  '@everyone',
  '${x}',
  '$&',
] as const;

const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  'NaN',
  'null',
  'true',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  'https://example.com/',
  '1e309',
  '99999999999999999999999',
  '9007199254740993',
  '1700000000.000100',
  '1700000000',
  '.',
  '00000000000000000000',
  '18446744073709551615',
  '18446744073709551616',
  '{}',
  '[]',
  '%',
  '%00',
  'T1',
  'C1',
  'U1',
  'slack#T1',
] as const;

const NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e21,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  Number.MIN_VALUE,
  8.64e15,
  8.64e15 + 1,
  1e-7,
] as const;

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'length',
  'then',
  '',
  '0',
] as const;

/** A special, long or unusual text. */
export function oddText(random: Random, near = ''): string {
  const kind = upTo(random, 9);
  if (kind < 3) return pick(random, TEXTS);
  const where = upTo(random, near.length);
  const odd = pick(random, CHARACTERS);
  if (kind < 6) return near.slice(0, where) + odd + near.slice(where);
  if (kind === 6) return near.slice(0, where);
  if (kind === 7) return near + near;
  const unit =
    kind === 8 ? odd : pick(random, ['a', 'ab ', '[', '> ', '`', '*', '| a ', '<@U1> ', '\n', '(', 'é']);
  // Rarely long enough to exceed the limits of the platforms and of the table.
  return unit.repeat(chance(random, 0.03) ? 20_000 : upTo(random, 300));
}

/** Any JSON value. */
export function oddValue(random: Random, near: Json = null): Json {
  switch (upTo(random, 8)) {
    case 0:
      return null;
    case 1:
      return chance(random, 0.5);
    case 2:
      return pick(random, NUMBERS);
    case 3:
      return chance(random, 0.5) ? [] : {};
    case 4:
      return [near, near];
    case 5:
      return { [pick(random, NAMES)]: near };
    case 6:
      return deep(chance(random, 0.02) ? 2_000 : upTo(random, 20), near);
    default:
      return oddText(random, typeof near === 'string' ? near : '');
  }
}

const placesOf = new WeakMap<object, readonly Path[]>();

/** The paths within a sample, computed once. */
function places(sample: Json): readonly Path[] {
  if (typeof sample !== 'object' || sample === null) return [[]];
  const paths = placesOf.get(sample) ?? pathsIn(sample);
  placesOf.set(sample, paths);
  return paths;
}

const anyOf = <T>(random: Random, of: readonly T[], otherwise: T): T =>
  of[Math.floor(random() * of.length)] ?? otherwise;

/** A sample with one change. */
function changedOnce(random: Random, sample: Json): Json {
  // A sample that is too large for this is changed near its root only.
  const path = anyOf(random, places(sample), []);
  const here = at(sample, path);
  switch (upTo(random, 8)) {
    case 0:
      return replaced(sample, path, undefined);
    case 1:
      return extended(sample, path, pick(random, NAMES), oddValue(random, here));
    case 2: {
      const other = anyOf(random, places(sample), []);
      return replaced(sample, path, at(sample, other));
    }
    case 3: {
      const [name] = anyOf(random, membersOf(here), ['', null]);
      const moved = at(here, [name]);
      return extended(replaced(sample, [...path, name], undefined), path, pick(random, NAMES), moved);
    }
    default:
      return replaced(sample, path, oddValue(random, here));
  }
}

/** A sample with up to three changes, sometimes with none. */
export function mutated(random: Random, sample: Json): Json {
  const changes = chance(random, 0.03)
    ? 0
    : 1 + (chance(random, 0.3) ? 1 : 0) + (chance(random, 0.1) ? 1 : 0);
  let value = sample;
  for (let i = 0; i < changes; i += 1) value = changedOnce(random, value);
  return value;
}

const ESCAPES = ['\\ud800', '\\udc00\\ud800', '\\u0000', '\\uffff', '\\x', '\\'] as const;

/** Serialized JSON with a defect: truncated, with invalid UTF-8, duplicate keys or half surrogate pairs. */
function broken(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text);
  const where = upTo(random, bytes.length);
  const [head, tail] = [bytes.subarray(0, where), bytes.subarray(where)];
  switch (upTo(random, 7)) {
    case 0:
      return head;
    case 1:
      return Buffer.concat([head, Buffer.from([upTo(random, 255), 0xff, 0xc0]), tail]);
    case 2:
      return Buffer.concat([Buffer.from('\uFEFF'), bytes]);
    case 3:
      return Buffer.from(text.replace('"', `"${pick(random, ESCAPES)}`));
    case 4:
      return Buffer.concat([bytes, bytes]);
    case 5:
      return Buffer.from(text.replace('{', `{${text.slice(1, text.indexOf(',') + 1)}`));
    case 6:
      return Buffer.from(`${'['.repeat(chance(random, 0.02) ? 100_000 : 200)}${text}`);
    default:
      return randomBytes(random, upTo(random, 400));
  }
}

export function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i += 1) bytes[i] = upTo(random, 255);
  return bytes;
}

/** A sample as the bytes of a body: mostly valid JSON with unusual values, sometimes not JSON. */
export function bodyFrom(random: Random, sample: Json): Buffer {
  const text = JSON.stringify(mutated(random, sample));
  return chance(random, 0.12) ? broken(random, text) : Buffer.from(text);
}
