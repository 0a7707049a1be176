import { type CustomPattern, findCustom } from './custom-patterns.ts';
import { findPaymentCards } from './find-payment-cards.ts';
import { findEmails } from './find-emails.ts';
import { findIbans } from './find-ibans.ts';
import { findKeys } from './find-keys.ts';
import { findPhones } from './find-phones.ts';
import type { PrivateKind, Span, TextReader } from './text-reader.ts';

/** What is masked at a place. */
export type PrivateDataFilter = {
  readonly kinds: ReadonlySet<PrivateKind>;
  readonly patterns: readonly CustomPattern[];
  /** Whether pictures, recordings and films are left out of prompts: nothing in them can be masked. */
  readonly leavesOutMedia: boolean;
};

const FINDERS: readonly (readonly [PrivateKind, (reader: TextReader) => readonly Span[]])[] = [
  ['key', findKeys],
  ['iban', findIbans],
  ['card', findPaymentCards],
  ['email', findEmails],
  ['phone', findPhones],
];

/** Finds the private data of a text, in order and without overlaps. Where finds overlap, they are one, of the kind of the first. */
export function findPrivateData(reader: TextReader, { kinds, patterns }: PrivateDataFilter): readonly Span[] {
  const spans = [
    ...findCustom(reader, patterns),
    ...FINDERS.flatMap(([kind, find]) => (kinds.has(kind) ? find(reader) : [])),
  ].toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}
