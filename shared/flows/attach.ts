import { type Attachment, type PromptPart, recordingName, type TurnRef } from '../conversation/index.ts';
import { cutAt, type FileRead, heard, readFile } from '../files/index.ts';
import { FileRefused } from '../platforms/platform.ts';
import type { Deps, ModelFacts } from './ports.ts';
import type { AttachedFile } from './toolbox.ts';
import { textOf } from './voice/words.ts';

const MB = 1024 * 1024;
/** Characters of one file, and of all, that go into the prompt. */
export const MOST_OF_FILE = 20_000;
export const MOST_OF_FILES = 40_000;
/** Pictures of one question, and bytes of each. */
export const MOST_PICTURES = 3;
const MOST_PICTURE_BYTES = 5 * MB;
/** Files of one question, and bytes of each: all are held at once. */
const MOST_FILES = 5;
const MOST_BYTES = 10 * MB;

/** What the files of a question come to. */
export type Attached = {
  /** The question with the words of the files, for the prompt and for the history alike. */
  readonly question: string;
  /** The pictures, for this prompt alone. */
  readonly images: readonly PromptPart[];
  /** The files that hold words, to be read on in. */
  readonly files: readonly AttachedFile[];
  /** What people are to know of what was left out, as one paragraph; empty if there is nothing. */
  readonly notice: string;
  /** Neither the person nor any file gives the model something to answer. */
  readonly nothing: boolean;
};

export type AttachDeps = Pick<Deps, 'platform' | 'chat' | 'log' | 'pdf' | 'hearing'>;

/**
 * Fetches the files of a question and reads them. A file that cannot be had or read is named, to the model and to
 * people, and the rest goes on. `model` is the one that will be asked, if not the usual one. Never rejects.
 */
export async function attach(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  deps: AttachDeps,
  model?: string,
): Promise<Attached> {
  const pile: Pile = { parts: [], images: [], files: [], notices: [], room: MOST_OF_FILES };
  const taken = attachments.slice(0, MOST_FILES);
  const found = await Promise.all(taken.map((one) => fetched(turn, one, deps)));
  const seen = found.some(({ kind }) => kind === 'image') ? await deps.chat.about?.(model) : undefined;
  for (const [i, one] of found.entries()) {
    add(pile, nameOf(taken[i]?.name ?? ''), one, seen, model ?? deps.chat.model);
  }
  const left = attachments.length - taken.length;
  if (left > 0) pile.notices.push(`I looked at the first ${MOST_FILES} files and left out ${left} more.`);

  const useful = pile.files.length > 0 || pile.images.length > 0;
  return {
    question: [question, ...pile.parts].filter((part) => part !== '').join('\n\n'),
    images: pile.images,
    files: pile.files,
    notice: pile.notices.length > 0 ? `_${pile.notices.join(' ')}_` : '',
    nothing: question.trim() === '' && !useful && !found.some(({ kind }) => kind === 'spoken'),
  };
}

type Found =
  | FileRead
  | { readonly kind: 'refused'; readonly sentence: string }
  /** A recording that was written out. */
  | { readonly kind: 'spoken'; readonly text: string };
type Pile = {
  readonly parts: string[];
  readonly images: PromptPart[];
  readonly files: AttachedFile[];
  readonly notices: string[];
  /** Characters that still go into the prompt. */
  room: number;
};

async function fetched(turn: TurnRef, attachment: Attachment, deps: AttachDeps): Promise<Found> {
  const kind = heard(attachment);
  // Recordings are heard before their message is asked: here their words are known, or never will be.
  if (kind) return (await spokenIn(turn, attachment, deps)) ?? { kind };
  if (attachment.bytes > MOST_BYTES) return TOO_LARGE;
  try {
    const bytes = await deps.platform.file(turn, attachment, MOST_BYTES);
    return await readFile(bytes, attachment, deps.pdf);
  } catch (error) {
    if (error instanceof FileRefused) return { kind: 'refused', sentence: error.sentence };
    deps.log('file.failed', { error: error instanceof Error ? error.name : 'unknown' });
    return UNREACHED;
  }
}

async function spokenIn(
  { thread, message }: TurnRef,
  attachment: Attachment,
  { hearing }: AttachDeps,
): Promise<Found | undefined> {
  const ref = { thread, message, file: recordingName(attachment) };
  const pieces = (await hearing?.recordings.pieces(ref).catch(() => [])) ?? [];
  return pieces.length > 0 ? { kind: 'spoken', text: textOf(pieces) } : undefined;
}

const TOO_LARGE: Found = { kind: 'unreadable', why: 'is larger than the 10 MB that I can take in' };
const UNREACHED: Found = { kind: 'refused', sentence: 'I could not fetch it just now; send it once more.' };

function add(
  pile: Pile,
  name: string,
  found: Found,
  seen: ModelFacts | undefined,
  model: string | undefined,
): void {
  switch (found.kind) {
    case 'text':
      return addText(pile, name, found);
    case 'image':
      return addImage(pile, name, found, seen, model);
    case 'sound':
    case 'video':
      pile.parts.push(`Attached ${found.kind} “${name}”, which you cannot take in.`);
      pile.notices.push(
        `I have not heard \`${name}\`. Send it again, or choose Transcribe in its message’s menu.`,
      );
      return;
    case 'spoken':
      pile.parts.push(found.text);
      return;
    case 'unreadable':
      pile.parts.push(`Attached file “${name}”, which could not be read: it ${found.why}.`);
      pile.notices.push(`I left out \`${name}\`: it ${found.why}.`);
      return;
    case 'refused':
      pile.parts.push(`Attached file “${name}”, which could not be fetched.`);
      pile.notices.push(`I could not open \`${name}\`: ${found.sentence}`);
  }
}

function addText(
  pile: Pile,
  name: string,
  { text, left = 0, note }: Extract<FileRead, { kind: 'text' }>,
): void {
  const shown = cutAt(text, Math.min(MOST_OF_FILE, pile.room));
  pile.room -= shown.length;
  pile.files.push({ name, text, shown: shown.length });
  const all = number(text.length + left);
  const whole = shown.length === text.length && left === 0;
  const part = shown === '' ? 'none' : `the first ${number(shown.length)}`;
  const extent = whole ? `${all} characters` : `${part} of ${all} characters`;
  const more = note === undefined ? '' : `; ${note}`;
  // A fence longer than any in the file, so that nothing in it can end it.
  const longest = Math.max(2, ...(shown.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  pile.parts.push(`Attached file “${name}”, ${extent}${more}:\n${fence}\n${shown}\n${fence}`);
  if (!whole) pile.notices.push(`Of \`${name}\` I was given ${extent}.`);
  if (note !== undefined) pile.notices.push(`Of \`${name}\` ${note}.`);
}

function addImage(
  pile: Pile,
  name: string,
  { bytes, mimetype }: Extract<FileRead, { kind: 'image' }>,
  seen: ModelFacts | undefined,
  model: string | undefined,
): void {
  const why = refusalOf(pile, bytes, seen, model);
  if (why !== undefined) {
    pile.parts.push(`Attached picture “${name}”, which you cannot see.`);
    pile.notices.push(`I left out \`${name}\`: ${why}`);
    return;
  }
  pile.parts.push(`Attached picture “${name}”.`);
  pile.images.push({
    type: 'image',
    url: `data:${mimetype};base64,${Buffer.from(bytes).toString('base64')}`,
  });
}

/** Why a picture cannot be shown to the model. Where the upstream does not say what it takes, it is tried. */
function refusalOf(
  { images }: Pile,
  bytes: Uint8Array,
  seen: ModelFacts | undefined,
  model: string | undefined,
): string | undefined {
  if (seen?.images === false) {
    const other = seen.seeing[0];
    const blind = model === undefined ? 'my model' : `my model, ${model},`;
    return other === undefined ? `${blind} takes no pictures.` : `${blind} takes no pictures; ${other} does.`;
  }
  if (bytes.byteLength > MOST_PICTURE_BYTES) return 'a picture may have 5 MB at most; send a smaller one.';
  return images.length >= MOST_PICTURES ? `I look at ${MOST_PICTURES} pictures at a time.` : undefined;
}

/** A name as one line that ends no quotation. */
function nameOf(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s`“”]+/gu, ' ').trim();
  return cutAt(line, 80) || 'file';
}

const number = (n: number): string => n.toLocaleString('en-US');
