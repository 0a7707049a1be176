import { pick } from '../random.ts';
import type { Random } from '../random.ts';
import { countTokens, tokenize } from '../tokens.ts';

const OPENERS = ['First', 'Next', 'Then', 'After that', 'Meanwhile', 'In the end', 'Now and then'] as const;
const SUBJECTS = [
  'the tide',
  'a small crew',
  'the lamp',
  'our map',
  'the harbour',
  'a quiet wind',
  'the log',
] as const;
const VERBS = ['turns', 'carries', 'answers', 'follows', 'keeps', 'opens', 'measures'] as const;
const OBJECTS = [
  'the long way round',
  'every letter',
  'a second watch',
  'the same star',
  'what was said before',
] as const;
const ENDS = [
  'without hurry',
  'at the usual hour',
  'and says so',
  'before the rain',
  'as it should',
] as const;

/** Prose of exactly `count` tokens, in paragraphs with headings: it reads like an answer and says nothing. */
export function prose(random: Random, count: number): string {
  const paragraphs: string[] = [];
  let sofar = 0;
  // Two to spare: a paragraph alone may count its blanks apart, the whole does not.
  while (sofar < count + 2 * paragraphs.length + 2) {
    const next = paragraph(random, paragraphs.length + 1);
    paragraphs.push(next);
    sofar += countTokens(next);
  }
  return tokenize(paragraphs.join('')).slice(0, count).join('');
}

function paragraph(random: Random, part: number): string {
  const sentences = Array.from({ length: 4 + Math.floor(random() * 3) }, () => sentence(random));
  const heading = part % 4 === 1 ? `## Part ${part}\n\n` : '';
  return `${heading}${sentences.join(' ')}\n\n`;
}

export function sentence(random: Random): string {
  const subject = `${pick(random, OPENERS)}, ${pick(random, SUBJECTS)}`;
  return `${subject} ${pick(random, VERBS)} ${pick(random, OBJECTS)} ${pick(random, ENDS)}.`;
}
