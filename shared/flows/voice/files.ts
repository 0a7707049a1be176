import type { MessageId, Thread } from '../../conversation/index.ts';
import type { HeardPiece } from '../../store/index.ts';
import { srt, txt, vtt } from '../../transcript/index.ts';
import type { VoiceDeps } from './ports.ts';
import { sentencesOf } from './words.ts';

/** Recordings that are longer get files beside their card, in ms. */
const LONG_MS = 120_000;

/** Whether the words of a recording of this length are worth files of their own. */
export const isLong = (ms: number): boolean => ms > LONG_MS;

const KINDS = [
  { ending: 'txt', mimetype: 'text/plain', write: txt },
  { ending: 'vtt', mimetype: 'text/vtt', write: vtt },
  { ending: 'srt', mimetype: 'application/x-subrip', write: srt },
] as const;

/**
 * Puts the words into the thread as files: to read, and as subtitles. `key` names the recording: what is there is not put
 * there again. Resolves with the messages that hold them, and whether all are there; the words stand on the card in any case.
 */
export async function uploadWords(
  thread: Thread,
  pieces: readonly HeardPiece[],
  key: string,
  { stage, log }: Pick<VoiceDeps, 'stage' | 'log'>,
): Promise<{ readonly messages: readonly MessageId[]; readonly all: boolean }> {
  const sentences = sentencesOf(pieces);
  const messages: MessageId[] = [];
  try {
    for (const { ending, mimetype, write } of KINDS) {
      const content = new TextEncoder().encode(write(sentences));
      const file = { name: `transcript.${ending}`, mimetype, bytes: content.length, content: once(content) };
      messages.push(await stage.upload(thread, file, `${key}#${ending}`));
    }
    return { messages, all: true };
  } catch (error) {
    log('voice.files-failed', { error: error instanceof Error ? error.name : 'unknown' });
    return { messages, all: false };
  }
}

/** Bytes that are there already, as a stream of one piece. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
