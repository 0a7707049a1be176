import type { CardFile, MessageId, Thread } from '../domain/index.ts';
import type { StoredChunk } from '../storage/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { renderSrt, renderText, renderVtt } from '../transcript/index.ts';
import { iterableOf } from '../utils/iterable-of.ts';
import type { VoiceContext } from './ports.ts';
import { getSentences } from '../transcript/transcript-text.ts';
import { errorName } from '../utils/error-name.ts';

/** Recordings that are longer get files on their card, in ms. */
const LONG_MS = 120_000;
/** A longer name is cut. */
const MAX_NAME = 60;

/** Whether the words of a recording of this length are worth files of their own. */
export const isLong = (ms: number): boolean => ms > LONG_MS;

const KINDS = [
  { ending: 'txt', mimetype: 'text/plain', write: renderText },
  { ending: 'vtt', mimetype: 'text/vtt', write: renderVtt },
  { ending: 'srt', mimetype: 'application/x-subrip', write: renderSrt },
] as const;

/** The words of a recording as files, to read and as subtitles, named after it: `lecture-transcript.txt`. */
export function transcriptFiles(
  pieces: readonly StoredChunk[],
  recording: string,
  locale: Locale,
): CardFile[] {
  const sentences = getSentences(pieces);
  const name = `${stemOf(recording)}-${localize(locale, 'voice.transcript')}`;
  return KINDS.map(({ ending, mimetype, write }) => ({
    name: `${name}.${ending}`,
    mimetype,
    content: new TextEncoder().encode(write(sentences)),
  }));
}

/** What people called a recording, without its ending and without what no file may be called. */
function stemOf(name: string): string {
  const stem = name.replace(/\.\w{1,5}$/u, '').replaceAll(/[\\/:*?"<>|\p{C}\s]+/gu, '-');
  return (
    stem
      .slice(0, MAX_NAME)
      .toWellFormed()
      .replaceAll(/^-+|-+$/gu, '') || 'recording'
  );
}

/**
 * Puts files into the thread, each as a message of its own, where they could not stand on their card. `key` names the
 * recording: what is there is not put there again. Resolves with the messages that hold them, and whether all are there; the
 * words stand on the card in any case.
 */
export async function uploadFiles(
  thread: Thread,
  files: readonly CardFile[],
  key: string,
  { messenger: stage, log }: Pick<VoiceContext, 'messenger' | 'log'>,
): Promise<{ readonly messages: readonly MessageId[]; readonly all: boolean }> {
  const messages: MessageId[] = [];
  try {
    for (const { name, mimetype, content } of files) {
      const file = { name, mimetype, bytes: content.length, content: iterableOf(content) };
      messages.push(await stage.upload(thread, file, `${key}#${name}`));
    }
    return { messages, all: true };
  } catch (error) {
    log('voice.file-upload-failed', { error: errorName(error) });
    return { messages, all: false };
  }
}
