import type { ChatEvent } from '../../../domain/index.ts';
import type { CheckpointStore } from './sessions/checkpoint.ts';
import type { Profile } from './profile.ts';
import type { GatewayReads } from './rest-reads.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';
export type Log = Readonly<
  Record<Level, (event: string, facts?: Readonly<Record<string, string | number | undefined>>) => void>
>;

type PermitResult =
  | { readonly granted: true; readonly waitMs: number }
  | { readonly granted: false; readonly retryAfterMs: number };

/** The stored limit of new sessions for a bot with `shards` shards. `maxWaitMs`: how far ahead a permit may be reserved. */
export type SessionLimit = { take(maxWaitMs: number, shards: number): Promise<PermitResult> };

/** Of the shards with the same `key`, in all processes, one may identify every `apartMs`. */
export type IdentifyLimit = { take(key: number, apartMs: number, maxWaitMs: number): Promise<PermitResult> };

/** The stored state of a shard: its checkpoint, saved every two seconds, and its guilds, saved when they change. */
export type ShardStores = { readonly checkpointStore: CheckpointStore; readonly guildStore: CheckpointStore };

/** Stores the plan that all processes share. Both methods reject if the table does not respond. */
export type PlanStore = {
  load(): Promise<{ readonly text: string; readonly version: number } | undefined>;
  /** Resolves with whether it was saved: false if another process has saved since `version` was read (0: nothing was stored). */
  save(text: string, version: number): Promise<boolean>;
};

export type RelayDeps = {
  readonly token: string;
  readonly profile: Profile;
  readonly gatewayUrl: string;
  readonly reads: GatewayReads;
  /** The stores of a shard by its name, which is empty for a bot with a single shard. */
  readonly shardStores: (shard: string) => ShardStores;
  readonly planStore: PlanStore;
  /** The name of this process among those that share the shards; undefined for a single process. */
  readonly member: string | undefined;
  readonly sessionLimit: SessionLimit;
  readonly identifyLimit?: IdentifyLimit | undefined;
  /** Accepts an event that may concern the bot. It counts as handled once this resolves. A rejection is retried. */
  readonly onChatEvent: (chatEvent: ChatEvent) => Promise<string>;
  /** Whether unaddressed messages of a channel may concern the bot. */
  readonly mayConcern: (guild: string, channel: string) => Promise<boolean>;
  /** Whether an error is permanent. */
  readonly isPermanentError: (error: unknown) => boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  /** Called at least every minute while all shards are connected or wait for a permit, and after the relay has stopped for good. */
  readonly onAlive: () => void;
  readonly log: Log;
};
