import { expect, test } from '@jest/globals';
import { parseCustomPatterns } from '../../shared/private-data/custom-patterns.ts';
import { findPrivateData } from '../../shared/private-data/find-private-data.ts';
import { TextReader } from '../../shared/private-data/text-reader.ts';
import { PEM_HEADER, PRIVATE } from './samples.ts';

const ALL = {
  kinds: new Set(['card', 'key', 'email', 'phone', 'iban'] as const),
  patterns: parseCustomPatterns('EMP-####; *-*-*-xyz; a a a a a a b; ??? ??? ##'),
  leavesOutMedia: false,
};

/** Pieces whose repetition makes a search that goes back read a text many times. */
const PIECES = [
  'a',
  '4',
  '4 ',
  '4111 ',
  '41111111111111111111',
  '4-4.4/',
  '@',
  'a@',
  'a@a.',
  'a.a.',
  'eyJ',
  'eyJ-',
  'eyJaaaaaaaaaaa.',
  'xoxb-',
  'sk-',
  'AKIA',
  'SG.',
  '+1',
  '+1-',
  '(415',
  'DE89 ',
  'DE',
  'password=',
  'token:',
  'token:a1',
  '://',
  '://a:',
  ':',
  '=',
  '-----BEGIN ',
  PEM_HEADER,
  `${PEM_HEADER}\n-----END `,
  '/api/webhooks/',
  '[card 1]',
  'a-',
  'a a a ',
  'abc ',
  '\u200b',
  '４',
  ...Object.values(PRIVATE).flatMap((values) => values.slice(0, 1)),
];

const readsOf = (text: string): number => {
  const reader = new TextReader(text);
  findPrivateData(reader, ALL);
  return reader.reads;
};

test.each(PIECES)('a text of %j is read a bounded number of times for each character', (piece) => {
  const [short, long] = [3_000, 12_000].map((length) => piece.repeat(Math.ceil(length / piece.length)));
  const [few, many] = [readsOf(short ?? ''), readsOf(long ?? '')];
  expect(many / Math.max(few, 1)).toBeLessThan(4.5);
  expect(many / 12_000).toBeLessThan(600);
});
