import type { TurnRef } from '../../../shared/domain/index.ts';
import type { Platform } from '../../../shared/platforms/ports/index.ts';

/** What is to go wrong with the next calls of a kind. */
export type Trouble = 'lose-reply' | 'cut' | 'busy' | 'status' | 'too-long';
export type Deed = 'post' | 'change' | 'remove';

/** One platform, as the suite needs it. Every question is asked in a place of its own. */
export type Side = {
  readonly platform: Platform;
  /** A person asks; what is said belongs to a thread of its own. `elsewhere`: in another workspace. */
  readonly ask: (text: string) => Promise<TurnRef>;
  /** The bot's messages in the turn's thread, oldest first: what people read, without buttons and small print. */
  readonly shown: (turn: TurnRef) => Promise<{ readonly id: string; readonly text: string }[]>;
  /** What only this person sees of it, beyond the above. */
  readonly whispered: (turn: TurnRef) => Promise<string[]>;
  readonly trouble: (deed: Deed, what: Trouble, times?: number) => void;
  /** A file that came with a question. */
  readonly askWithFile: (name: string, content: Uint8Array) => Promise<{ turn: TurnRef; id: string }>;
  /** The bot puts a file into the turn's thread, as it does with videos. */
  readonly upload: (turn: TurnRef, name: string) => Promise<string>;
  /** The same person says something in the thread of a turn. */
  readonly say: (turn: TurnRef, text: string) => Promise<void>;
  /** Takes from the bot the right to read there; resolves with what gives it back. */
  readonly shutOut: () => Promise<() => void>;
  /** Requests since the last time this was asked, oldest first: method or route, and body as text. */
  readonly requests: () => { readonly what: string; readonly body: string }[];
};
