import type { VoiceContext } from '../../shared/voice/index.ts';
import type { Upstream } from '../../shared/upstream/index.ts';

const PIECE_MS = 20_000;

/** Decodes files that contain text instead of audio: each is one chunk with the text of the file. */
export const DECODER: VoiceContext['media'] = {
  async *decode(bytes, { firstChunk: from = 0 }) {
    yield await Promise.resolve({ type: 'begin', container: 'mp4', codec: 'aac' } as const);
    if (from === 0) yield { type: 'chunk', n: 0, wav: bytes, fromMs: 0, toMs: PIECE_MS, last: true };
    yield { type: 'end', ms: PIECE_MS, chunks: 1 };
  },
};

/** Speech as a file that contains its text. */
export const speechFile: VoiceContext['createVoiceFile'] = async (wavs, _, words) => ({
  name: 'spoken.mp3',
  mimetype: 'audio/mpeg',
  bytes: wavs.reduce((sum, { length }) => sum + length, 0),
  content: parts(wavs),
  words,
});

async function* parts(all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const one of all) yield await Promise.resolve(one);
}

const wordsOf = (audio: Uint8Array | { readonly url: string }): string =>
  audio instanceof Uint8Array ? Buffer.from(audio).toString() : audio.url;

type Ask = (words: string, options: Parameters<Upstream['speech']['transcribe']>[1]) => Promise<void>;

/** Models that transcribe the text of a file. `ask` is awaited before each request, with the text. */
export function speechIn(ask: Ask): Upstream['speech'] {
  return {
    transcribe: async ({ audio }, options) => {
      const text = wordsOf(audio);
      await ask(text, options);
      return { text, words: [], audio: [], language: 'en' };
    },
    translate: async ({ audio, speak }, options) => {
      const text = wordsOf(audio);
      await ask(text, options);
      const translation = `Übersetzt: ${text}`;
      return { text, words: [], translation, language: 'en', audio: speak ? [Buffer.from(translation)] : [] };
    },
  };
}
