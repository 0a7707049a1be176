/** The file type according to its content. */
export type DetectedType =
  /** An image format that models accept. */
  | { readonly type: 'image'; readonly mimetype: string }
  | { readonly type: 'pdf' | 'sound' | 'video' }
  /** A known type that cannot be read; `kind` is the name of its format. */
  | { readonly type: 'other'; readonly what: DetectedKind; readonly kind?: string };

export type DetectedKind = 'archive' | 'program' | 'picture' | 'document' | 'icon' | 'database' | 'font';

/** Name and type given by the sender. They matter only when the content is ambiguous. */
export type FileHint = { readonly name: string; readonly mimetype: string };

type SignatureRule = { readonly at?: number; readonly signature: string; readonly type: DetectedType };

const otherType = (what: DetectedKind, kind?: string): DetectedType => ({
  type: 'other',
  what,
  ...(kind && { kind }),
});
const imageType = (kind: string): DetectedType => ({ type: 'image', mimetype: `image/${kind}` });
const SOUND: DetectedType = { type: 'sound' };
const VIDEO: DetectedType = { type: 'video' };
const ARCHIVE = otherType('archive');
const PROGRAM = otherType('program');

/** File signatures as Latin-1 text. */
const SIGNATURES: readonly SignatureRule[] = [
  { signature: '\x89PNG\r\n\x1a\n', type: imageType('png') },
  { signature: '\xff\xd8\xff', type: imageType('jpeg') },
  { signature: 'GIF87a', type: imageType('gif') },
  { signature: 'GIF89a', type: imageType('gif') },
  { at: 8, signature: 'WEBP', type: imageType('webp') },
  { at: 8, signature: 'WAVE', type: SOUND },
  { at: 8, signature: 'AVI ', type: VIDEO },
  { at: 8, signature: 'AIFF', type: SOUND },
  { at: 8, signature: 'AIFC', type: SOUND },
  { signature: 'ID3', type: SOUND },
  { signature: 'fLaC', type: SOUND },
  { signature: '#!AMR', type: SOUND },
  { signature: 'caff', type: SOUND },
  { signature: 'MThd', type: SOUND },
  { signature: 'FLV\x01', type: VIDEO },
  { signature: '\x00\x00\x01\xba', type: VIDEO },
  { signature: '\x00\x00\x01\xb3', type: VIDEO },
  { signature: 'BM', type: otherType('picture', 'BMP') },
  { signature: 'II*\x00', type: otherType('picture', 'TIFF') },
  { signature: 'MM\x00*', type: otherType('picture', 'TIFF') },
  { signature: '8BPS', type: otherType('picture', 'Photoshop') },
  { signature: '\x00\x00\x01\x00', type: otherType('icon') },
  { signature: '{\\rtf', type: otherType('document', 'RTF') },
  { signature: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', type: otherType('document', 'Office') },
  { signature: '\x1f\x8b', type: ARCHIVE },
  { signature: '7z\xbc\xaf\x27\x1c', type: ARCHIVE },
  { signature: 'Rar!\x1a\x07', type: ARCHIVE },
  { signature: 'BZh', type: ARCHIVE },
  { signature: '\xfd7zXZ\x00', type: ARCHIVE },
  { signature: '\x28\xb5\x2f\xfd', type: ARCHIVE },
  { at: 257, signature: 'ustar', type: ARCHIVE },
  { signature: '\x7fELF', type: PROGRAM },
  { signature: 'MZ', type: PROGRAM },
  { signature: '\xca\xfe\xba\xbe', type: PROGRAM },
  { signature: '\xcf\xfa\xed\xfe', type: PROGRAM },
  { signature: '\x00asm', type: PROGRAM },
  { signature: 'SQLite format 3\x00', type: otherType('database') },
  { signature: 'wOF2', type: otherType('font') },
  { signature: 'OTTO', type: otherType('font') },
];

/** Signatures of printable characters up to this length may be the start of a text. */
const MAX_AMBIGUOUS_LENGTH = 3;
/** The range that is searched for the start of a PDF and for the first names of a zip. */
const MAX_SEARCH_BYTES = 4096;

/**
 * Detects the file type from the content; undefined without a known signature, as for text. `certain` is false when the
 * signature is so short that a text may start with it.
 */
export function detectType(
  bytes: Uint8Array,
  hint: FileHint,
): { readonly is: DetectedType; readonly certain: boolean } | undefined {
  const start = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, MAX_SEARCH_BYTES),
  ).toString('latin1');
  const certain = (is: DetectedType) => ({ is, certain: true });
  if (start.slice(0, 1024).includes('%PDF-')) return certain({ type: 'pdf' });
  if (start.slice(4, 8) === 'ftyp') return certain(detectMp4(start.slice(8, 12), hint));
  if (start.startsWith('\x1a\x45\xdf\xa3')) return certain(getMediaHint(hint) === 'sound' ? SOUND : VIDEO);
  if (start.startsWith('OggS')) return certain(getMediaHint(hint) === 'video' ? VIDEO : SOUND);
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return certain(detectZip(start));
  const rule = SIGNATURES.find(({ at = 0, signature: magic }) => start.startsWith(magic, at));
  if (rule)
    return {
      is: rule.type,
      certain: rule.signature.length > MAX_AMBIGUOUS_LENGTH || /[^\x20-\x7e]/u.test(rule.signature),
    };
  return isMpegAudio(start) ? { is: SOUND, certain: false } : undefined;
}

/** Returns whether name and MIME type say audio or video. Undefined exactly where `isRecording` is false: then the file is read. */
export function getMediaHint({ name, mimetype }: FileHint): 'sound' | 'video' | undefined {
  if (mimetype.startsWith('image/')) return undefined;
  if (/\.(?:m4a|mp3|wav|ogg|oga|opus|flac|aac|amr|aiff?)$/iu.test(name)) return 'sound';
  if (/^audio\//iu.test(mimetype)) return 'sound';
  if (/^video\/(?!mp2t\b)/iu.test(mimetype) || /\.(?:mp4|mov|webm|mkv|avi|m4v)$/iu.test(name)) return 'video';
  return undefined;
}

/** Audio and video share this container, and voice clips use either type. */
function detectMp4(brand: string, hint: FileHint): DetectedType {
  if (/^(?:hei|hev|mif1|msf1)/u.test(brand)) return otherType('picture', 'HEIC');
  if (brand.startsWith('avi')) return otherType('picture', 'AVIF');
  if (/^M4[AB]/u.test(brand)) return SOUND;
  return getMediaHint(hint) === 'sound' ? SOUND : VIDEO;
}

function detectZip(start: string): DetectedType {
  if (start.includes('word/')) return otherType('document', 'Word');
  if (start.includes('xl/')) return otherType('document', 'Excel');
  if (start.includes('ppt/')) return otherType('document', 'PowerPoint');
  if (start.includes('opendocument')) return otherType('document', 'OpenDocument');
  if (start.includes('[Content_Types].xml')) return otherType('document', 'Office');
  return ARCHIVE;
}

/** MP3 and AAC without a tag start with a frame header. FF FE is not one: it is the byte order mark of UTF-16. */
function isMpegAudio(start: string): boolean {
  const second = start.charCodeAt(1);
  return start.charCodeAt(0) === 0xff && second !== 0xfe && (second & 0xe0) === 0xe0 && second !== 0xff;
}
