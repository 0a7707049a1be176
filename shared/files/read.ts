import type { PdfReader } from './pdf.ts';
import { type Hint, sniff, type Sniffed } from './sniff.ts';
import { textOf } from './text.ts';

/** The most of one file's words that is ever kept: beyond what any model takes in. */
export const MOST_CHARACTERS = 400_000;

/** What a file holds. */
export type FileRead =
  | { readonly kind: 'image'; readonly mimetype: string; readonly bytes: Uint8Array }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** How many characters were left out at the end. */
      readonly left?: number | undefined;
      /** What else was left out, for people. */
      readonly note?: string | undefined;
    }
  | { readonly kind: 'sound' | 'video' }
  /** `why` goes on from the file's name: "is an archive", "is locked with a password". */
  | { readonly kind: 'unreadable'; readonly why: string };

/** Finds out what a file holds, and reads it where it holds words. Never rejects. */
export async function readFile(bytes: Uint8Array, hint: Hint, pdf?: PdfReader): Promise<FileRead> {
  if (bytes.byteLength === 0) return { kind: 'unreadable', why: 'is empty' };
  const found = sniff(bytes, hint);
  if (found?.certain) return asFound(found.is, bytes, pdf);
  const text = textOf(bytes);
  if (text !== undefined) return asText(text);
  return found
    ? asFound(found.is, bytes, pdf)
    : { kind: 'unreadable', why: 'is of a kind that I do not know' };
}

async function asFound(is: Sniffed, bytes: Uint8Array, pdf: PdfReader | undefined): Promise<FileRead> {
  switch (is.type) {
    case 'image':
      return { kind: 'image', mimetype: is.mimetype, bytes };
    case 'pdf':
      return pdf
        ? asPdf(await pdf(bytes))
        : { kind: 'unreadable', why: 'is a PDF, which I cannot read here' };
    case 'sound':
    case 'video':
      return { kind: is.type };
    case 'other':
      return { kind: 'unreadable', why: `is ${is.what}, which I cannot read${advice(is.what)}` };
  }
}

function advice(what: string): string {
  if (what.includes('picture')) return '; send it as PNG or JPEG';
  return /document|workbook|presentation|OpenDocument/u.test(what) ? '; send it as PDF or plain text' : '';
}

function asText(text: string): FileRead {
  if (text.trim() === '') return { kind: 'unreadable', why: 'is empty' };
  const kept = cutAt(text, MOST_CHARACTERS);
  const left = text.length - kept.length;
  return left > 0 ? { kind: 'text', text: kept, left } : { kind: 'text', text };
}

const PDF_FAULTS = {
  locked: 'is a PDF locked with a password',
  broken: 'is a damaged PDF',
  slow: 'is a PDF so intricate that I could not read it in time',
  large: 'is a PDF that unfolds into more than I can hold',
} as const;

function asPdf(read: Awaited<ReturnType<PdfReader>>): FileRead {
  if (read.kind !== 'text') return { kind: 'unreadable', why: PDF_FAULTS[read.kind] };
  if (read.text.trim() === '')
    return { kind: 'unreadable', why: 'is a PDF that holds pictures of pages and no words' };
  const text = asText(read.text);
  if (text.kind !== 'text' || read.pages === read.of) return text;
  return { ...text, note: `only the first ${read.pages} of ${read.of} pages were read` };
}

/** The first `most` characters, not breaking one in half. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
