/** Events of decoding a recording: one `begin`, then `progress` and `chunk`, then one `end`. */
export type MediaEvent =
  | {
      readonly type: 'begin';
      readonly container: Container;
      readonly codec: string;
      /** From the file's headers, which can be wrong. */
      readonly length?: RecordingDuration | undefined;
    }
  /** The decoded duration, in ms. Sent when there is no chunk: during silence and before the first requested chunk. */
  | { readonly type: 'progress'; readonly ms: number }
  | AudioChunk
  | {
      readonly type: 'end';
      /** The decoded duration, in ms. */
      readonly ms: number;
      /** The number of chunks, skipped ones included. 0: all is silence. */
      readonly chunks: number;
      /** Why the result is incomplete. */
      readonly partial?: IncompleteReason | undefined;
    };

/** The duration of a recording, as known before decoding. */
export type RecordingDuration = {
  readonly ms: number;
  /** Calculated from the file size and the bitrate at its start. */
  readonly estimated: boolean;
};

/** A part of a recording between two quiet moments. */
export type AudioChunk = {
  readonly type: 'chunk';
  /** From 0. The same recording always gives the same chunks. */
  readonly n: number;
  /** A WAV file: 16 kHz, mono, 16 bits. */
  readonly wav: Uint8Array;
  /** Its position in the recording. There may be silence between chunks. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly last: boolean;
};

/** `damaged`: broken bytes; `long`: beyond the maximum duration; `slow`, `large`: decoding exceeded time or memory. */
export type IncompleteReason = 'damaged' | 'long' | 'slow' | 'large';

export type Container = 'ogg' | 'webm' | 'mp4' | 'mp3' | 'adts' | 'flac' | 'wav' | 'other';

/**
 * Why a recording cannot be decoded: `empty`; a web `page`, which platforms send without access to the file; an `unknown`
 * format; `mute`, a video without audio; an unsupported `codec`; an implausible `shape`, more than 8 channels or a rate
 * outside 4 to 192 kHz; `broken`; too `slow` or too `large` to decode.
 */
export const MEDIA_ERROR_KINDS = [
  'empty',
  'page',
  'unknown',
  'mute',
  'codec',
  'shape',
  'broken',
  'slow',
  'large',
] as const;
export type MediaErrorKind = (typeof MEDIA_ERROR_KINDS)[number];

/** A recording that cannot be decoded, or speech that cannot be encoded. */
export class MediaError extends Error {
  override name = 'MediaError';
  readonly kind: MediaErrorKind;
  /** Container and codec, if known: `mp4 ac-3`. */
  readonly details: string;

  constructor(kind: MediaErrorKind, details = '', cause?: unknown) {
    super(`the recording is ${kind}${details === '' ? '' : ` (${details})`}`, { cause });
    this.kind = kind;
    this.details = details;
  }
}

/** File formats of spoken answers: `ogg` with Opus for Discord's voice messages, `mp3` for Slack. */
export type SpeechFormat = 'ogg' | 'mp3';

/** A spoken answer as a file. */
export type EncodedSpeech = {
  readonly bytes: Uint8Array;
  readonly seconds: number;
  /** For Discord's voice message: base64, up to 256 points. */
  readonly waveform: string;
};
