import type { CallOptions } from '../config.ts';
import { BadRequestError, MalformedAnswerError, TooLargeError } from '../errors.ts';
import { requestJson } from '../http/request-json.ts';
import type { Client } from '../http/client.ts';
import { getEndpointUrl } from '../http/endpoint-url.ts';
import { parseErrorJson } from '../http/error-body.ts';
import { asNonEmptyString, isObject, type JsonObject } from '../http/json.ts';
import { languageName } from './languages.ts';
import { joinTranscripts, type Transcript, parseTranscript } from './transcript.ts';
import { splitWav, type WavPart, readWav, writeWav } from './wav.ts';

/** Audio per request: 1,024 tokens, the documented default, are at most about four minutes of speech. */
const MAX_SECONDS = 120;
const MAX_TOKENS = 2_048;
/** WAV bytes per request. High sample rates or many channels reach it before the seconds do. */
const MAX_WAV_BYTES = 16 * 1024 * 1024;
/** Size of a response: two minutes of translated speech are about 5 MB in base64. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const DEFAULT_RATE = 16_000;

export type SpeechRequest = {
  /**
   * A WAV file (16-bit PCM, preferably 16 kHz mono), split into several requests when it is long; or the URL of one with
   * its sample rate, which the service downloads.
   */
  readonly audio: Uint8Array | { readonly url: string; readonly samplingRate?: number | undefined };
  /** 0 is deterministic. */
  readonly temperature?: number | undefined;
  /** Per request. */
  readonly maxTokens?: number | undefined;
  /** Maximum audio per request, in seconds. */
  readonly maxSeconds?: number | undefined;
};

export type TranslationRequest = SpeechRequest & {
  /** A name (`french`) or an ISO code (`fr`). */
  readonly to: string;
  /** Whether to return the translation as speech too. */
  readonly speak?: boolean | undefined;
};

export type Speech = {
  /** Transcribes a recording, with the time of each word if the service gives it. */
  readonly transcribe: (request: SpeechRequest, options?: CallOptions) => Promise<Transcript>;
  /** Transcribes a recording and translates it. */
  readonly translate: (request: TranslationRequest, options?: CallOptions) => Promise<Transcript>;
};

export function createSpeech(client: Client): Speech {
  return {
    transcribe: (request, options = {}) => transcribeParts(client, request, {}, options),
    translate: (request, options = {}) => {
      // The service's examples set both fields for a translation.
      const fields = { target_language: languageName(request.to), is_translate: true };
      return transcribeParts(
        client,
        request,
        request.speak === true ? { ...fields, return_translation_audio: true } : fields,
        options,
      );
    },
  };
}

/** Sends the parts one after another: in parallel they would use up the burst of the rate limit. */
async function transcribeParts(
  client: Client,
  request: SpeechRequest,
  fields: object,
  options: CallOptions,
): Promise<Transcript> {
  const transcripts: Transcript[] = [];
  for (const { url, rate, start } of toAudioParts(request)) {
    const body = JSON.stringify({
      audio_url: url(),
      sampling_rate: rate,
      max_tokens: request.maxTokens ?? MAX_TOKENS,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...fields,
    });
    const { value, requestId } = await requestJson(
      client,
      {
        service: 'speech',
        method: 'POST',
        url: getEndpointUrl(client.baseUrl, '/v1/transcription_or_translation'),
        credential: 'x-api-key',
        body,
        timeoutMs: client.timeouts.speech,
        maxBytes: MAX_RESPONSE_BYTES,
        repeatable: false,
        isError: isErrorBody,
      },
      options,
    );
    if (!isObject(value)) {
      throw new MalformedAnswerError('The speech service sent a response that is not a JSON object.', {
        code: 'bad_json',
        requestId,
      });
    }
    transcripts.push(parseTranscript(value, start, requestId));
  }
  return joinTranscripts(transcripts);
}

/** Without a transcript, an error must not look like a recording without speech. */
const isErrorBody = (value: JsonObject): boolean =>
  asNonEmptyString(value['transcript']) === undefined &&
  (isObject(value['error']) ||
    asNonEmptyString(value['error']) !== undefined ||
    value['transcript'] === undefined) &&
  parseErrorJson(value).message !== undefined;

type AudioPart = { readonly url: () => string; readonly rate: number; readonly start: number };

function toAudioParts({ audio, maxSeconds }: SpeechRequest): AudioPart[] {
  if (!(audio instanceof Uint8Array)) {
    const { url } = audio;
    const isSupported = /^https?:\/\//u.test(url) || url.startsWith('data:audio/wav;base64,');
    if (!isSupported)
      throw new BadRequestError('The recording has an unsupported URL.', {
        code: 'not_wav',
        param: 'audio_url',
      });
    return [{ url: () => url, rate: audio.samplingRate ?? DEFAULT_RATE, start: 0 }];
  }
  return splitWav(readWav(audio), maxSeconds ?? MAX_SECONDS).map(toAudioPart);
}

function toAudioPart({ wav, start }: WavPart): AudioPart {
  if (wav.samples.length > MAX_WAV_BYTES) {
    throw new TooLargeError(`A part of the recording is larger than ${MAX_WAV_BYTES} bytes.`, {
      code: 'audio_too_large',
    });
  }
  // Encoded just before it is sent, so that only one part is in memory twice.
  return { url: () => `data:audio/wav;base64,${writeWav(wav).toString('base64')}`, rate: wav.rate, start };
}
