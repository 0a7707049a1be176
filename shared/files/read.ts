import type { PdfReader } from './pdf.ts';
import { type Hint, sniff, type Sniffed, type What } from './sniff.ts';
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
      /** How many pages were read, where that is not all of them. */
      readonly pages?: { readonly read: number; readonly all: number } | undefined;
    }
  | { readonly kind: 'sound' | 'video' }
  /** `format` is the name of a format of pictures or documents. */
  | { readonly kind: 'unreadable'; readonly why: Unreadable; readonly format?: string | undefined };

export type Unreadable =
  | What
  | 'empty'
  | 'unknown'
  | 'no-pdf'
  | 'scanned'
  | 'locked'
  | 'broken'
  | 'slow'
  | 'large';

/** Finds out what a file holds, and reads it where it holds words. Never rejects. */
export async function readFile(bytes: Uint8Array, hint: Hint, pdf?: PdfReader): Promise<FileRead> {
  if (bytes.byteLength === 0) return { kind: 'unreadable', why: 'empty' };
  const found = sniff(bytes, hint);
  if (found?.certain) return asFound(found.is, bytes, pdf);
  const text = textOf(bytes);
  if (text !== undefined) return asText(text);
  return found ? asFound(found.is, bytes, pdf) : { kind: 'unreadable', why: 'unknown' };
}

async function asFound(is: Sniffed, bytes: Uint8Array, pdf: PdfReader | undefined): Promise<FileRead> {
  switch (is.type) {
    case 'image':
      return { kind: 'image', mimetype: is.mimetype, bytes };
    case 'pdf':
      return pdf ? asPdf(await pdf(bytes)) : { kind: 'unreadable', why: 'no-pdf' };
    case 'sound':
    case 'video':
      return { kind: is.type };
    case 'other':
      return { kind: 'unreadable', why: is.what, format: is.kind };
  }
}

function asText(text: string): FileRead {
  if (text.trim() === '') return { kind: 'unreadable', why: 'empty' };
  const kept = cutAt(text, MOST_CHARACTERS);
  const left = text.length - kept.length;
  return left > 0 ? { kind: 'text', text: kept, left } : { kind: 'text', text };
}

function asPdf(read: Awaited<ReturnType<PdfReader>>): FileRead {
  if (read.kind !== 'text') return { kind: 'unreadable', why: read.kind };
  if (read.text.trim() === '') return { kind: 'unreadable', why: 'scanned' };
  const text = asText(read.text);
  if (text.kind !== 'text' || read.pages === read.of) return text;
  return { ...text, pages: { read: read.pages, all: read.of } };
}

/** The first `most` characters, not breaking one in half. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
