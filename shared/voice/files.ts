import type { CardFile, MessageId, Thread } from '../domain/index.ts';
import {
  renderSrt,
  renderText,
  renderVtt,
  getSentences,
  getTranslatedSentences,
} from '../transcript/index.ts';
import type { StoredChunk } from '../storage/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { iterableOf, getErrorFacts } from '../utils/index.ts';
import type { VoiceContext } from './ports.ts';

/** Longer recordings (ms) get transcript files on their card. */
const MIN_FILES_MS = 120_000;
const MAX_NAME_LENGTH = 60;

/** Whether a recording of this length (ms) gets transcript files. */
export const isLong = (ms: number): boolean => ms > MIN_FILES_MS;

const FORMATS = [
  { extension: 'txt', mimetype: 'text/plain', render: renderText },
  { extension: 'vtt', mimetype: 'text/vtt', render: renderVtt },
  { extension: 'srt', mimetype: 'application/x-subrip', render: renderSrt },
] as const;

/**
 * Builds the transcript files: text and subtitles, named after the recording: `lecture-transcript.txt`. With `to` also the
 * translation, if there is one: `lecture-transcript-fr.txt`.
 */
export function createTranscriptFiles(
  chunks: readonly StoredChunk[],
  recording: string,
  locale: Locale,
  to?: string,
): CardFile[] {
  const sentences = getSentences(chunks);
  const translated = to === undefined ? [] : getTranslatedSentences(chunks);
  const name = `${toBaseName(recording)}-${localize(locale, 'voice.transcript')}`;
  const files = FORMATS.map(({ extension, mimetype, render }) => ({
    name: `${name}.${extension}`,
    mimetype,
    content: new TextEncoder().encode(render(sentences)),
  }));
  if (translated.length === 0) return files;
  const content = new TextEncoder().encode(renderText(translated));
  return [...files, { name: `${name}-${to}.txt`, mimetype: 'text/plain', content }];
}

/** Returns the recording's name without its extension and without characters that are invalid in file names. */
function toBaseName(name: string): string {
  const stem = name.replace(/\.\w{1,5}$/u, '').replaceAll(/[\\/:*?"<>|\p{C}\s]+/gu, '-');
  return (
    stem
      .slice(0, MAX_NAME_LENGTH)
      .toWellFormed()
      .replaceAll(/^-+|-+$/gu, '') || 'recording'
  );
}

/**
 * Uploads files to the thread, each in its own message, when they cannot be attached to the card. `key` identifies the
 * recording, so that a retry does not upload a file twice. Returns the messages, and whether all uploads succeeded.
 * Never rejects: the transcript is on the card anyway.
 */
export async function uploadFiles(
  thread: Thread,
  files: readonly CardFile[],
  key: string,
  {
    messenger,
    log,
  }: { readonly messenger: Pick<VoiceContext['messenger'], 'upload'>; readonly log: VoiceContext['log'] },
): Promise<{ readonly messages: readonly MessageId[]; readonly all: boolean }> {
  const messages: MessageId[] = [];
  try {
    for (const { name, mimetype, content } of files) {
      const file = { name, mimetype, bytes: content.length, content: iterableOf(content) };
      messages.push(await messenger.upload(thread, file, `${key}#${name}`));
    }
    return { messages, all: true };
  } catch (error) {
    log('voice.file-upload-failed', getErrorFacts(error));
    return { messages, all: false };
  }
}
