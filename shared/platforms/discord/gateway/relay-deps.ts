import type { Happening } from '../../../conversation/index.ts';
import type { BookmarkShelf } from './bookmark.ts';
import type { Profile } from './profile.ts';
import type { Reads } from './reads.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';
export type Log = Readonly<
  Record<Level, (event: string, facts?: Readonly<Record<string, string | number | undefined>>) => void>
>;

/** Our own allowance of new sessions, which outlives the process; `maxWaitMs` is how long one may be reserved ahead. */
export type SessionSlots = {
  take(
    maxWaitMs: number,
  ): Promise<
    | { readonly granted: true; readonly waitMs: number }
    | { readonly granted: false; readonly retryAfterMs: number }
  >;
};

export type RelayDeps = {
  readonly token: string;
  readonly profile: Profile;
  readonly gatewayUrl: string;
  readonly reads: Reads;
  /** Keeps how far it got, every two seconds, and the guilds that the bot is in, when they change. */
  readonly shelf: BookmarkShelf;
  readonly guildShelf: BookmarkShelf;
  readonly slots: SessionSlots;
  /** Takes in what may concern the bot: it counts as seen once this resolves. Rejects to be tried again. */
  readonly happen: (happening: Happening) => Promise<string>;
  /** Whether what is said to nobody may concern the bot in a channel. */
  readonly mayConcern: (guild: string, channel: string) => Promise<boolean>;
  /** Whether an error will be the same next time. */
  readonly hopeless: (error: unknown) => boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  /** Called at least every minute while all is as it should be: connected, or waiting on purpose. */
  readonly alive: () => void;
  readonly log: Log;
};
