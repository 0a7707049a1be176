/** What the first bytes of a file say it is. */
export type DetectedType =
  /** Pictures as models take them. */
  | { readonly type: 'image'; readonly mimetype: string }
  | { readonly type: 'pdf' | 'sound' | 'video' }
  /** Something known that cannot be read here; `kind` is the name of its format. */
  | { readonly type: 'other'; readonly what: DetectedKind; readonly kind?: string };

export type DetectedKind = 'archive' | 'program' | 'picture' | 'document' | 'icon' | 'database' | 'font';

/** What the sender's side says of a file: hints, that decide only where the content leaves it open. */
export type Hint = { readonly name: string; readonly mimetype: string };

type Rule = { readonly at?: number; readonly magic: string; readonly is: DetectedType };

const other = (what: DetectedKind, kind?: string): DetectedType => ({
  type: 'other',
  what,
  ...(kind && { kind }),
});
const image = (kind: string): DetectedType => ({ type: 'image', mimetype: `image/${kind}` });
const SOUND: DetectedType = { type: 'sound' };
const VIDEO: DetectedType = { type: 'video' };
const ARCHIVE = other('archive');
const PROGRAM = other('program');

/** Beginnings, as Latin-1 text. */
const RULES: readonly Rule[] = [
  { magic: '\x89PNG\r\n\x1a\n', is: image('png') },
  { magic: '\xff\xd8\xff', is: image('jpeg') },
  { magic: 'GIF87a', is: image('gif') },
  { magic: 'GIF89a', is: image('gif') },
  { at: 8, magic: 'WEBP', is: image('webp') },
  { at: 8, magic: 'WAVE', is: SOUND },
  { at: 8, magic: 'AVI ', is: VIDEO },
  { at: 8, magic: 'AIFF', is: SOUND },
  { at: 8, magic: 'AIFC', is: SOUND },
  { magic: 'ID3', is: SOUND },
  { magic: 'fLaC', is: SOUND },
  { magic: '#!AMR', is: SOUND },
  { magic: 'caff', is: SOUND },
  { magic: 'MThd', is: SOUND },
  { magic: 'FLV\x01', is: VIDEO },
  { magic: '\x00\x00\x01\xba', is: VIDEO },
  { magic: '\x00\x00\x01\xb3', is: VIDEO },
  { magic: 'BM', is: other('picture', 'BMP') },
  { magic: 'II*\x00', is: other('picture', 'TIFF') },
  { magic: 'MM\x00*', is: other('picture', 'TIFF') },
  { magic: '8BPS', is: other('picture', 'Photoshop') },
  { magic: '\x00\x00\x01\x00', is: other('icon') },
  { magic: '{\\rtf', is: other('document', 'RTF') },
  { magic: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', is: other('document', 'Office') },
  { magic: '\x1f\x8b', is: ARCHIVE },
  { magic: '7z\xbc\xaf\x27\x1c', is: ARCHIVE },
  { magic: 'Rar!\x1a\x07', is: ARCHIVE },
  { magic: 'BZh', is: ARCHIVE },
  { magic: '\xfd7zXZ\x00', is: ARCHIVE },
  { magic: '\x28\xb5\x2f\xfd', is: ARCHIVE },
  { at: 257, magic: 'ustar', is: ARCHIVE },
  { magic: '\x7fELF', is: PROGRAM },
  { magic: 'MZ', is: PROGRAM },
  { magic: '\xca\xfe\xba\xbe', is: PROGRAM },
  { magic: '\xcf\xfa\xed\xfe', is: PROGRAM },
  { magic: '\x00asm', is: PROGRAM },
  { magic: 'SQLite format 3\x00', is: other('database') },
  { magic: 'wOF2', is: other('font') },
  { magic: 'OTTO', is: other('font') },
];

/** Beginnings so short that words may have them too: they count only where the rest is no text. */
const SHORT = 3;
/** How far in a PDF may begin, and a zip's first names are looked for. */
const LOOK = 4096;

/**
 * What the content says the file is; undefined when no beginning is known, as with all that is text. `certain` is
 * false where the beginning is so short that a text may have it.
 */
export function detectType(
  bytes: Uint8Array,
  hint: Hint,
): { readonly is: DetectedType; readonly certain: boolean } | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, LOOK)).toString(
    'latin1',
  );
  const sure = (is: DetectedType) => ({ is, certain: true });
  if (start.slice(0, 1024).includes('%PDF-')) return sure({ type: 'pdf' });
  if (start.slice(4, 8) === 'ftyp') return sure(mp4(start.slice(8, 12), hint));
  if (start.startsWith('\x1a\x45\xdf\xa3')) return sure(heard(hint) === 'sound' ? SOUND : VIDEO);
  if (start.startsWith('OggS')) return sure(heard(hint) === 'video' ? VIDEO : SOUND);
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return sure(zip(start));
  const rule = RULES.find(({ at = 0, magic }) => start.startsWith(magic, at));
  if (rule) return { is: rule.is, certain: rule.magic.length > SHORT || /[^\x20-\x7e]/u.test(rule.magic) };
  return mpegAudio(start) ? { is: SOUND, certain: false } : undefined;
}

/** Whether what the sender's side says is that the file is to be listened to, or watched. */
export function heard({ name, mimetype }: Hint): 'sound' | 'video' | undefined {
  if (/\.(?:m4a|mp3|wav|ogg|oga|opus|flac|aac|amr|aiff?)$/iu.test(name)) return 'sound';
  if (mimetype.startsWith('audio/')) return 'sound';
  if (mimetype.startsWith('video/') || /\.(?:mp4|mov|webm|mkv|avi|m4v)$/iu.test(name)) return 'video';
  return undefined;
}

/** Sound and film share this container, and voice clips come in either. */
function mp4(brand: string, hint: Hint): DetectedType {
  if (/^(?:hei|hev|mif1|msf1)/u.test(brand)) return other('picture', 'HEIC');
  if (brand.startsWith('avi')) return other('picture', 'AVIF');
  if (/^M4[AB]/u.test(brand)) return SOUND;
  return heard(hint) === 'sound' ? SOUND : VIDEO;
}

function zip(start: string): DetectedType {
  if (start.includes('word/')) return other('document', 'Word');
  if (start.includes('xl/')) return other('document', 'Excel');
  if (start.includes('ppt/')) return other('document', 'PowerPoint');
  if (start.includes('opendocument')) return other('document', 'OpenDocument');
  if (start.includes('[Content_Types].xml')) return other('document', 'Office');
  return ARCHIVE;
}

/** MP3 and AAC without a tag begin with a frame. Not to be mixed up with the mark of UTF-16 (FF FE). */
function mpegAudio(start: string): boolean {
  const second = start.charCodeAt(1);
  return start.charCodeAt(0) === 0xff && second !== 0xfe && (second & 0xe0) === 0xe0 && second !== 0xff;
}
