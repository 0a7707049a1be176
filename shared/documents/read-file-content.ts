import type { PdfText } from './pdf-reader.ts';
import { type FileHint, detectType, type DetectedType, type DetectedKind } from './detect-type.ts';
import { decodeText, type TextStart } from './decode-text.ts';

/** Maximum text of one file, in characters: more than any model accepts. */
export const MAX_CHARACTERS = 400_000;

/** The content of a file. */
export type FileContent =
  | { readonly kind: 'image'; readonly mimetype: string; readonly bytes: Uint8Array }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Characters left out at the end. */
      readonly omitted?: number | undefined;
      /** Set when not all pages were read. */
      readonly pages?: { readonly read: number; readonly all: number } | undefined;
      /** The text of each page, where the file has several. */
      readonly pageTexts?: readonly string[] | undefined;
    }
  | { readonly kind: 'sound' | 'video' }
  /** `format` is the name of an image or document format. */
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason; readonly format?: string | undefined };

export type UnreadableReason =
  | DetectedKind
  | 'empty'
  | 'unknown'
  | 'no-pdf'
  | 'scanned'
  | 'locked'
  | 'broken'
  | 'slow'
  | 'large';

/** Extracts the text of a PDF. Never rejects. */
export type ReadPdf = (bytes: Uint8Array) => Promise<PdfText>;

/** Detects the type of a file and extracts its text, if it has any. Never rejects. */
export async function readFileContent(
  bytes: Uint8Array,
  hint: FileHint,
  pdf?: ReadPdf,
): Promise<FileContent> {
  if (bytes.byteLength === 0) return { kind: 'unreadable', reason: 'empty' };
  const detected = detectType(bytes, hint);
  if (detected?.certain) return toContent(detected.is, bytes, pdf);
  const text = decodeText(bytes, MAX_CHARACTERS);
  if (text !== undefined) return toTextContent(text);
  return detected ? toContent(detected.is, bytes, pdf) : { kind: 'unreadable', reason: 'unknown' };
}

async function toContent(
  is: DetectedType,
  bytes: Uint8Array,
  pdf: ReadPdf | undefined,
): Promise<FileContent> {
  switch (is.type) {
    case 'image':
      return { kind: 'image', mimetype: is.mimetype, bytes };
    case 'pdf':
      return pdf ? toPdfContent(await pdf(bytes)) : { kind: 'unreadable', reason: 'no-pdf' };
    case 'sound':
    case 'video':
      return { kind: is.type };
    case 'other':
      return { kind: 'unreadable', reason: is.what, format: is.kind };
  }
}

function toTextContent({ text, omitted: left }: TextStart): FileContent {
  if (text.trim() === '') return { kind: 'unreadable', reason: 'empty' };
  return left > 0 ? { kind: 'text', text, omitted: left } : { kind: 'text', text };
}

function toPdfContent(read: PdfText): FileContent {
  if (read.kind !== 'text') return { kind: 'unreadable', reason: read.kind };
  const pageTexts = read.text.split('\f');
  const whole = pageTexts.join('\n\n').trim();
  if (whole === '') return { kind: 'unreadable', reason: 'scanned' };
  const truncated = truncate(whole, MAX_CHARACTERS);
  const text = toTextContent({ text: truncated, omitted: whole.length - truncated.length });
  if (text.kind !== 'text') return text;
  const pages = read.pages === read.of ? {} : { pages: { read: read.pages, all: read.of } };
  return { ...text, ...(pageTexts.length > 1 && { pageTexts }), ...pages };
}

/** Returns the first `maxLength` characters without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}
