import type { MediaEvent } from '../media/index.ts';
import type { PlatformName } from '../domain/index.ts';
import type { Budgets } from '../billing/index.ts';
import type { ErasedUntil } from '../platforms/index.ts';
import type {
  FindMemberRoles,
  FindUserProfile,
  Messenger,
  Platform,
  Upload,
} from '../platforms/ports/index.ts';
import type { Queue } from '../aws/index.ts';
import type { Log, Metrics, Time } from '../runtime/index.ts';
import type { Recordings, SettingsStore, TurnSignals } from '../storage/index.ts';
import type { Chat, ChatOptions, ModelBreakers, Settings, RequestPermits } from '../ports/index.ts';

/** The speech model. */
export interface TranscriptionClient {
  /**
   * Transcribes one chunk, and translates it if `to` names a language. Awaits `beforeAttempt` before every request. Throws
   * the upstream's errors.
   */
  transcribe(wav: Uint8Array, options: TranscriptionOptions): Promise<TranscriptionResult>;
}

export type TranscriptionOptions = Pick<
  ChatOptions,
  'deadline' | 'beforeAttempt' | 'permit' | 'onAttempt' | 'onRateLimit'
> & {
  readonly to?: string | undefined;
  readonly temperature?: number | undefined;
  /** Limit of the transcript of this chunk, in tokens. */
  readonly maxTokens?: number | undefined;
  /** Whether to speak the translation as well. */
  readonly speak?: boolean | undefined;
};

/** The transcript of one chunk; times in ms from its start. */
export type TranscriptionResult = {
  readonly text: string;
  readonly words: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
  readonly translation?: string | undefined;
  readonly language?: string | undefined;
  /** WAV files of the spoken translation, in order. */
  readonly audio: readonly Uint8Array[];
};

/** Decodes recordings. See `shared/media`. */
export type Decoder = {
  readonly decode: (
    bytes: Uint8Array,
    options: { readonly firstChunk?: number | undefined; readonly maxMs: number },
  ) => AsyncGenerator<MediaEvent>;
};

/** The context of the transcriber. */
export type VoiceContext = {
  readonly userProfile: FindUserProfile;
  readonly memberRoles: FindMemberRoles;
  readonly budgets: Budgets;
  readonly metrics: Metrics;
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
  readonly recordings: Recordings;
  /** When data of people and threads was erased. */
  readonly erased: ErasedUntil;
  readonly signals: Pick<TurnSignals, 'isAnswering'>;
  readonly media: Decoder;
  readonly platform: Pick<Platform, 'downloadFile' | 'getLocale'>;
  readonly messenger: Messenger;
  readonly transcriptionClient: TranscriptionClient;
  /** Creates an audio file that this platform can play. */
  readonly createVoiceFile: (
    wavs: readonly Uint8Array[],
    platform: PlatformName,
    words: string,
  ) => Promise<Upload>;
  /** Permits under the key's rate limit for speech. */
  readonly speechPermits: RequestPermits;
  /** `noBreakers` if speech models are never at capacity. */
  readonly breakers: ModelBreakers;
  /** For summaries. */
  readonly chat: Chat;
  /** Permits under the key's rate limit for chat. */
  readonly permits: RequestPermits;
  readonly settings: Settings;
  /** The queue of questions. */
  readonly queue: Queue;
  /** The queue of recordings. */
  readonly recordingsQueue: Queue;
  readonly time: Time;
  readonly log: Log;
};
