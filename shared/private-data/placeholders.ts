import type { MaskedCounts } from '../domain/index.ts';
import { findPrivateData, type PrivateDataFilter } from './find-private-data.ts';
import { type PrivateKind, type Span, TextReader } from './text-reader.ts';

const PLACEHOLDER = /\[(card|key|email|phone|iban|custom) (\d{1,4})\]/gu;

/**
 * The placeholders of one request: `[card 1]`. The same value always has the same one, and they are numbered in the order of the text. So two
 * requests that begin with the same messages begin with the same masked messages, which the upstream caches.
 */
export class Placeholders {
  readonly #filter: PrivateDataFilter;
  readonly #byValue = new Map<string, string>();
  readonly #originals = new Map<string, string>();
  /** Placeholders that people wrote themselves: no value gets one of them. */
  readonly #written = new Set<string>();
  readonly #numbers = new Map<PrivateKind, number>();
  readonly #counts = new Map<PrivateKind | 'media', number>();

  constructor(filter: PrivateDataFilter) {
    this.#filter = filter;
  }

  /** How many different values were masked so far. */
  get counts(): MaskedCounts {
    return Object.fromEntries(this.#counts);
  }

  /** Returns the text with placeholders for its private data. */
  mask(text: string): string {
    for (const [written] of text.matchAll(PLACEHOLDER))
      if (!this.#originals.has(written)) this.#written.add(written);
    const reader = new TextReader(text);
    let masked = '';
    let end = 0;
    for (const span of findPrivateData(reader, this.#filter)) {
      const start = reader.toOriginal(span.start);
      masked += text.slice(end, start);
      end = reader.toOriginal(span.end);
      masked += this.#getPlaceholder(span, reader, text.slice(start, end));
    }
    return masked + text.slice(end);
  }

  /** Returns the text with the original values in place of their placeholders. */
  unmask(text: string): string {
    return text.replaceAll(PLACEHOLDER, (placeholder) => this.#originals.get(placeholder) ?? placeholder);
  }

  /** Counts a picture, recording or film that is left out. */
  countMedia(): void {
    this.#counts.set('media', (this.#counts.get('media') ?? 0) + 1);
  }

  #getPlaceholder(span: Span, reader: TextReader, original: string): string {
    const value = `${span.kind} ${canonicalValue(span, reader)}`;
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    let number = this.#numbers.get(span.kind) ?? 0;
    let placeholder: string;
    do {
      number += 1;
      placeholder = `[${span.kind} ${number}]`;
    } while (this.#written.has(placeholder));
    this.#numbers.set(span.kind, number);
    this.#counts.set(span.kind, (this.#counts.get(span.kind) ?? 0) + 1);
    this.#byValue.set(value, placeholder);
    this.#originals.set(placeholder, original);
    return placeholder;
  }
}

/** Adds the numbers of several requests. */
export function addMasked(all: readonly MaskedCounts[]): MaskedCounts {
  const sum = (kind: keyof MaskedCounts): number => all.reduce((count, one) => count + (one[kind] ?? 0), 0);
  return {
    card: sum('card'),
    key: sum('key'),
    email: sum('email'),
    phone: sum('phone'),
    iban: sum('iban'),
    custom: sum('custom'),
    media: sum('media'),
  };
}

/** The same for the same value in another notation: without the separators of a number, in lower case. */
function canonicalValue({ kind, start, end }: Span, { text }: TextReader): string {
  const value = text.slice(start, end);
  if (kind === 'key') return value;
  const isNumber = kind === 'card' || kind === 'phone' || kind === 'iban';
  return (isNumber ? value.replaceAll(/[^A-Za-z\d+]/gu, '') : value).toLowerCase();
}
