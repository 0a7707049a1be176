/** What decoding a recording tells, in this order: one `begin`, then `progress` and `piece`, then one `end`. */
export type MediaEvent =
  | {
      readonly type: 'begin';
      readonly container: Container;
      readonly codec: string;
      /** A claim, often wrong in files of strangers. */
      readonly length?: Length | undefined;
    }
  /** How far the recording is decoded, in ms. Comes where no piece does: in silence, and before the piece asked for. */
  | { readonly type: 'progress'; readonly ms: number }
  | Piece
  | {
      readonly type: 'end';
      /** How long the recording is, as far as it was decoded. */
      readonly ms: number;
      /** How many pieces there are, with those that were left out because they were not asked for. 0: all is silence. */
      readonly pieces: number;
      /** Why this is not the whole recording. */
      readonly partial?: IncompleteReason | undefined;
    };

/** How long a recording is, as far as that can be told before it is decoded. */
export type Length = {
  readonly ms: number;
  /** Worked out from the file's size and the rate of its beginning, not told by the file. */
  readonly estimated: boolean;
};

/** A part of a recording between two quiet moments. */
export type Piece = {
  readonly type: 'piece';
  /** Counted from 0; the same recording gives the same pieces each time. */
  readonly n: number;
  /** 16 kHz, mono, 16 bits, with its header. */
  readonly wav: Uint8Array;
  /** Where it lies in the recording. Between pieces there may be silence. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly last: boolean;
};

/** `damaged`: broken bytes; `long`: beyond the most that was asked for; `slow`, `large`: decoding was given up. */
export type IncompleteReason = 'damaged' | 'long' | 'slow' | 'large';

export type Container = 'ogg' | 'webm' | 'mp4' | 'mp3' | 'adts' | 'flac' | 'wav' | 'other';

/**
 * Why there is nothing to listen to: `empty`; a web `page`, as platforms send to who may not have the file; of a kind
 * that is `unknown`; `mute`, a film without sound; in a `codec` that is not read here; with an odd `shape`, more than
 * 8 channels or a rate beyond 4 to 192 kHz; `broken`; too `slow` or too `large` to decode.
 */
export const REFUSALS = [
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
export type Refusal = (typeof REFUSALS)[number];

/** A recording that nothing could be heard of, or a text that could not be made a file. */
export class MediaError extends Error {
  override name = 'MediaError';
  readonly kind: Refusal;
  /** Container and codec, as far as they are known: `mp4 ac-3`. */
  readonly what: string;

  constructor(kind: Refusal, what = '', cause?: unknown) {
    super(`the recording is ${kind}${what === '' ? '' : ` (${what})`}`, { cause });
    this.kind = kind;
    this.what = what;
  }
}

/** What people's apps play: `ogg` holds Opus, and is Discord's voice message; Slack plays `mp3`. */
export type SpokenAs = 'ogg' | 'mp3';

/** Speech as a file. */
export type Spoken = {
  readonly bytes: Uint8Array;
  readonly seconds: number;
  /** As Discord wants it beside a voice message: base64, up to 256 points. */
  readonly waveform: string;
};
