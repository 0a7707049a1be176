import type { TurnRef } from '../../../shared/domain/index.ts';
import type { Platform } from '../../../shared/platforms/ports/index.ts';

/** The fault of the next requests of a kind. */
export type RequestFault = 'lose-reply' | 'cut' | 'busy' | 'status' | 'too-long';
export type RequestKind = 'post' | 'change' | 'remove';

/** One platform, as the suite needs it. Every question has a place of its own. */
export type PlatformUnderTest = {
  readonly platform: Platform;
  /** A person asks in a new thread. `elsewhere`: in another workspace. */
  readonly ask: (text: string) => Promise<TurnRef>;
  /** The visible text of the bot's messages in the turn's thread, oldest first, without buttons and footer. */
  readonly visibleMessages: (turn: TurnRef) => Promise<{ readonly id: string; readonly text: string }[]>;
  /** Ephemeral messages for this person. */
  readonly ephemeralTexts: (turn: TurnRef) => Promise<string[]>;
  readonly injectFault: (deed: RequestKind, what: RequestFault, times?: number) => void;
  /** A file attached to a question. */
  readonly askWithFile: (name: string, content: Uint8Array) => Promise<{ turn: TurnRef; id: string }>;
  /** The bot uploads a file to the turn's thread, as it does with videos. */
  readonly upload: (turn: TurnRef, name: string) => Promise<string>;
  /** The same person writes in the thread of a turn. */
  readonly say: (turn: TurnRef, text: string) => Promise<void>;
  /** Removes the bot's permission to read there; resolves with a function that restores it. */
  readonly denyReading: () => Promise<() => void>;
  /** Requests since the last call, oldest first: method or route, and body as text. */
  readonly requests: () => { readonly what: string; readonly body: string }[];
};
