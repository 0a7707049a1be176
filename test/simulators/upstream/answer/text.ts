import { isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Random } from '../random.ts';
import { fromPattern } from './pattern.ts';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-03-14',
  'date-time': '2026-03-14T09:26:53Z',
  time: '09:26:53Z',
  duration: 'PT15M',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '5f0c7f6e-3a1b-4c2d-8e9f-0a1b2c3d4e5f',
};

/** A text that fits a string schema: its format, its pattern, its length; else what the question seems to give. */
export function textFor(schema: JsonObject, question: string, name: string, random: Random): string {
  const { format, pattern } = schema;
  if (isText(format) && FORMATS[format] !== undefined) return FORMATS[format];
  if (isText(pattern)) return fromPattern(pattern, random);
  const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  const maxLength = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 400;
  const letters = Array.from(guess(question, name));
  while (letters.length < least) letters.push('.');
  return letters.slice(0, maxLength).join('');
}

/** Quoted words, else a name in the question for fields that want a short value, else the question. */
function guess(question: string, name: string): string {
  const quoted = /["“'‘]([^"”'’]{1,200})["”'’]/u.exec(question)?.[1];
  if (quoted !== undefined) return quoted;
  if (/query|text|prompt|question|answer|message|content|summary|description/iu.test(name)) return question;
  const placed = /\b(?:in|at|for|to|from|of|about)\s+(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)/u.exec(
    question,
  )?.[1];
  return placed ?? question;
}
