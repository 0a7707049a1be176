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

/**
 * Our own allowance of new sessions, which outlives the process, for a bot with so many shards; `maxWaitMs` is how long one may
 * be reserved ahead.
 */
export type SessionSlots = { take(maxWaitMs: number, shards: number): Promise<Slot> };

/** Of the shards with the same `key`, in all processes, one may identify in `apartMs`. */
export type IdentifySlots = { take(key: number, apartMs: number, maxWaitMs: number): Promise<Slot> };

/** Where a shard writes down how far it got, every two seconds, and the guilds that the bot is in there, when they change. */
export type Shelves = { readonly shelf: CheckpointStore; readonly guildShelf: CheckpointStore };

/** Keeps the plan that all processes share. Both reject when the table cannot be reached. */
export type PlanShelf = {
  load(): Promise<{ readonly text: string; readonly version: number } | undefined>;
  /** Whether it was kept: not so where somebody else has written since `version` (0: nobody had written) was read. */
  save(text: string, version: number): Promise<boolean>;
};

export type RelayDeps = {
  readonly token: string;
  readonly profile: Profile;
  readonly gatewayUrl: string;
  readonly reads: Reads;
  /** By the name of a shard; that of a bot with a single one is empty. */
  readonly shelves: (shard: string) => Shelves;
  readonly planShelf: PlanShelf;
  /** This process, among others that share the shards; undefined where there is one process alone. */
  readonly member: string | undefined;
  readonly slots: SessionSlots;
  readonly identifySlots?: IdentifySlots | undefined;
  /** Takes in what may concern the bot: it counts as seen once this resolves. Rejects to be tried again. */
  readonly onChatEvent: (chatEvent: ChatEvent) => Promise<string>;
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
