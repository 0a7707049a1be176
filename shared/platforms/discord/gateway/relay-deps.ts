import type { ChatEvent } from '../../../domain/index.ts';
import type { CheckpointStore } from './sessions/checkpoint.ts';
import type { Profile } from './profile.ts';
import type { Reads } from './rest-reads.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';
export type Log = Readonly<
  Record<Level, (event: string, facts?: Readonly<Record<string, string | number | undefined>>) => void>
>;

type Slot =
  | { readonly granted: true; readonly waitMs: number }
  | { readonly granted: false; readonly retryAfterMs: number };

/** The stored limit of new sessions for a bot with `shards` shards. `maxWaitMs`: how far ahead a permit may be reserved. */
export type SessionSlots = { take(maxWaitMs: number, shards: number): Promise<Slot> };

/** Of the shards with the same `key`, in all processes, one may identify every `apartMs`. */
export type IdentifySlots = { take(key: number, apartMs: number, maxWaitMs: number): Promise<Slot> };

/** The stored state of a shard: its checkpoint, saved every two seconds, and its guilds, saved when they change. */
export type Shelves = { readonly shelf: CheckpointStore; readonly guildShelf: CheckpointStore };

/** Stores the plan that all processes share. Both methods reject if the table does not respond. */
export type PlanShelf = {
  load(): Promise<{ readonly text: string; readonly version: number } | undefined>;
  /** Resolves with whether it was saved: false if another process has saved since `version` was read (0: nothing was stored). */
  save(text: string, version: number): Promise<boolean>;
};

export type RelayDeps = {
  readonly token: string;
  readonly profile: Profile;
  readonly gatewayUrl: string;
  readonly reads: Reads;
  /** The stores of a shard by its name, which is empty for a bot with a single shard. */
  readonly shelves: (shard: string) => Shelves;
  readonly planShelf: PlanShelf;
  /** The name of this process among those that share the shards; undefined for a single process. */
  readonly member: string | undefined;
  readonly slots: SessionSlots;
  readonly identifySlots?: IdentifySlots | undefined;
  /** Accepts an event that may concern the bot. It counts as handled once this resolves. A rejection is retried. */
  readonly onChatEvent: (chatEvent: ChatEvent) => Promise<string>;
  /** Whether unaddressed messages of a channel may concern the bot. */
  readonly mayConcern: (guild: string, channel: string) => Promise<boolean>;
  /** Whether an error is permanent. */
  readonly hopeless: (error: unknown) => boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  /** Called at least every minute while all shards are connected, or wait for a permit. */
  readonly alive: () => void;
  readonly log: Log;
};
