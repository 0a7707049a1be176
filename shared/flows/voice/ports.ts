import type { Heard } from '../../media/index.ts';
import type { PlatformName } from '../../conversation/index.ts';
import type { Platform, Stage, Upload } from '../../platforms/platform.ts';
import type { ErasedUntil } from '../../platforms/without-erased.ts';
import type { Queue } from '../../runtime/queue.ts';
import type { Time } from '../../runtime/time.ts';
import type { Recordings } from '../../store/index.ts';
import type { Chat, ChatOptions, Deps, Log, Settings, Slots } from '../ports.ts';

/** What the flows want of the models that listen. */
export interface Ears {
  /**
   * Writes one piece out, and translates it if `to` names a language. `beforeAttempt` is awaited before every request that
   * is sent. Throws the upstream's errors.
   */
  hear(wav: Uint8Array, options: EarOptions): Promise<Said>;
}

export type EarOptions = Pick<
  ChatOptions,
  'deadline' | 'beforeAttempt' | 'slot' | 'onAttempt' | 'onRateLimit'
> & {
  readonly to?: string | undefined;
  /** Whether to speak the translation as well. */
  readonly speak?: boolean | undefined;
};

/** What one piece says; times in ms from its beginning. */
export type Said = {
  readonly text: string;
  readonly words: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
  readonly translation?: string | undefined;
  readonly language?: string | undefined;
  /** WAV files of the spoken translation, in order. */
  readonly audio: readonly Uint8Array[];
};

/** Decodes recordings. See `shared/media`. */
export type Decoder = {
  readonly listen: (
    bytes: Uint8Array,
    options: { readonly from?: number | undefined; readonly mostMs: number },
  ) => AsyncGenerator<Heard>;
};

export type VoiceDeps = Pick<Deps, 'people' | 'standing' | 'spending' | 'metrics'> & {
  /** What people set. */
  readonly choices: Pick<Deps['choices'], 'layers'>;
  readonly recordings: Recordings;
  /** Since when people and threads are forgotten. */
  readonly erased: ErasedUntil;
  readonly marks: Pick<Deps['marks'], 'isAnswering'>;
  readonly media: Decoder;
  readonly platform: Pick<Platform, 'file' | 'language'>;
  readonly stage: Stage;
  readonly ears: Ears;
  /** Speech as a file that people of this platform can play. */
  readonly voice: (wavs: readonly Uint8Array[], platform: PlatformName, words: string) => Promise<Upload>;
  /** Of the key's limit for speech. */
  readonly slots: Slots;
  /** For summaries, with the key's limit for chat. */
  readonly chat: Chat;
  readonly chatSlots: Slots;
  readonly settings: Settings;
  /** Where questions go. */
  readonly queue: Queue;
  /** Where recordings come from. */
  readonly recordingsQueue: Queue;
  readonly time: Time;
  readonly log: Log;
};
