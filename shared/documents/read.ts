import type { PdfText } from './pdf.ts';
import { type Hint, detectType, type DetectedType, type DetectedKind } from './detect-type.ts';
import { textOf, type TextStart } from './text.ts';

/** The most of one file's words that is ever kept: beyond what any model takes in. */
export const MAX_CHARACTERS = 400_000;

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
  | DetectedKind
  | 'empty'
  | 'unknown'
  | 'no-pdf'
  | 'scanned'
  | 'locked'
  | 'broken'
  | 'slow'
  | 'large';

/** Reads a PDF. Never rejects. */
export type ReadPdf = (bytes: Uint8Array) => Promise<PdfText>;

/** Finds out what a file holds, and reads it where it holds words. Never rejects. */
export async function readFile(bytes: Uint8Array, hint: Hint, pdf?: ReadPdf): Promise<FileRead> {
  if (bytes.byteLength === 0) return { kind: 'unreadable', why: 'empty' };
  const found = detectType(bytes, hint);
  if (found?.certain) return asFound(found.is, bytes, pdf);
  const text = textOf(bytes, MAX_CHARACTERS);
  if (text !== undefined) return asText(text);
  return found ? asFound(found.is, bytes, pdf) : { kind: 'unreadable', why: 'unknown' };
}

async function asFound(is: DetectedType, bytes: Uint8Array, pdf: ReadPdf | undefined): Promise<FileRead> {
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

function asText({ text, left }: TextStart): FileRead {
  if (text.trim() === '') return { kind: 'unreadable', why: 'empty' };
  return left > 0 ? { kind: 'text', text, left } : { kind: 'text', text };
}

function asPdf(read: PdfText): FileRead {
  if (read.kind !== 'text') return { kind: 'unreadable', why: read.kind };
  if (read.text.trim() === '') return { kind: 'unreadable', why: 'scanned' };
  const kept = cutAt(read.text, MAX_CHARACTERS);
  const text = asText({ text: kept, left: read.text.length - kept.length });
  if (text.kind !== 'text' || read.pages === read.of) return text;
  return { ...text, pages: { read: read.pages, all: read.of } };
}

/** The first `most` characters, not breaking one in half. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
