import type { CallOptions } from '../config.ts';
import { BadRequestError, MalformedAnswerError, TooLargeError } from '../errors.ts';
import { callJson } from '../http/call.ts';
import { type Client, endpoint } from '../http/client.ts';
import { isObject } from '../http/json.ts';
import { languageName } from './languages.ts';
import { joinTranscripts, type Transcript, transcriptOf } from './transcript.ts';
import { cutWav, type Piece, readWav, writeWav } from './wav.ts';

/** What one request carries: 1,024 tokens, the documented default, hold some four minutes of speech at most. */
const MAX_SECONDS = 120;
const MAX_TOKENS = 2_048;
/** Of one request's sound; a rate or channels beyond what speech needs reach it before the seconds do. */
const MAX_WAV_BYTES = 16 * 1024 * 1024;
/** Of an answer: two minutes of translated speech are about 5 MB in base64. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const DEFAULT_RATE = 16_000;

export type SpeechRequest = {
  /**
   * A WAV file (16-bit PCM, best 16 kHz and mono), cut into several requests when it is long; or the address of one,
   * which the service fetches itself, with its rate.
   */
  readonly audio: Uint8Array | { readonly url: string; readonly samplingRate?: number | undefined };
  /** 0 is deterministic. */
  readonly temperature?: number | undefined;
  /** Of each request's answer. */
  readonly maxTokens?: number | undefined;
  /** The longest piece of a recording sent at once, in seconds. */
  readonly maxSeconds?: number | undefined;
};

export type TranslationRequest = SpeechRequest & {
  /** A name (`french`) or an ISO code (`fr`). */
  readonly to: string;
  /** Whether to speak the translation as well. */
  readonly speak?: boolean | undefined;
};

export type Speech = {
  /** Writes a recording out, with the time of each word where the service gives it. */
  readonly transcribe: (request: SpeechRequest, options?: CallOptions) => Promise<Transcript>;
  /** Writes a recording out and translates it. */
  readonly translate: (request: TranslationRequest, options?: CallOptions) => Promise<Transcript>;
};

export function createSpeech(client: Client): Speech {
  return {
    transcribe: (request, options = {}) => hear(client, request, {}, options),
    translate: (request, options = {}) => {
      // The sample requests mark a translation by both fields.
      const fields = { target_language: languageName(request.to), is_translate: true };
      return hear(
        client,
        request,
        request.speak === true ? { ...fields, return_translation_audio: true } : fields,
        options,
      );
    },
  };
}

/** One request for each piece, one after the other: together they would take the whole burst of a limit. */
async function hear(
  client: Client,
  request: SpeechRequest,
  fields: object,
  options: CallOptions,
): Promise<Transcript> {
  const transcripts: Transcript[] = [];
  for (const { url, rate, start } of soundsOf(request)) {
    const body = JSON.stringify({
      audio_url: url(),
      sampling_rate: rate,
      max_tokens: request.maxTokens ?? MAX_TOKENS,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...fields,
    });
    const { value, requestId } = await callJson(
      client,
      {
        method: 'POST',
        url: endpoint(client.baseUrl, '/v1/transcription_or_translation'),
        credential: 'x-api-key',
        body,
        timeoutMs: client.timeouts.speech,
        maxBytes: MAX_ANSWER_BYTES,
        repeatable: false,
      },
      options,
    );
    if (!isObject(value)) {
      throw new MalformedAnswerError('The speech service answered with no JSON object.', {
        code: 'bad_json',
        requestId,
      });
    }
    transcripts.push(transcriptOf(value, start, requestId));
  }
  return joinTranscripts(transcripts);
}

type Sound = { readonly url: () => string; readonly rate: number; readonly start: number };

function soundsOf({ audio, maxSeconds }: SpeechRequest): Sound[] {
  if (!(audio instanceof Uint8Array)) {
    const { url } = audio;
    const known = /^https?:\/\//u.test(url) || url.startsWith('data:audio/wav;base64,');
    if (!known)
      throw new BadRequestError('The recording has no address that could be sent.', {
        code: 'not_wav',
        param: 'audio_url',
      });
    return [{ url: () => url, rate: audio.samplingRate ?? DEFAULT_RATE, start: 0 }];
  }
  return cutWav(readWav(audio), maxSeconds ?? MAX_SECONDS).map(soundOf);
}

function soundOf({ wav, start }: Piece): Sound {
  if (wav.samples.length > MAX_WAV_BYTES) {
    throw new TooLargeError(`A piece of the recording is larger than ${MAX_WAV_BYTES} bytes.`, {
      code: 'audio_too_large',
    });
  }
  // Encoded only when its turn comes, so that one piece at a time is in memory twice.
  return { url: () => `data:audio/wav;base64,${writeWav(wav).toString('base64')}`, rate: wav.rate, start };
}
