import * as v from 'valibot';
import { channelsSince, sinceOf } from './sessions/backfill.ts';
import type { UnaddressedFilter } from './events/unaddressed-filter.ts';
import { Connection, type Dispatch } from './connection.ts';
import { guildLeft, readEvent, type ParsedEvent } from './events/events.ts';
import { BackfillScheduler } from './sessions/backfill-scheduler.ts';
import { Guilds } from './events/guilds.ts';
import { type DeliverEvent, deliverTo } from './events/deliver-event.ts';
import { KeyedQueue } from '../../../utils/keyed-queue.ts';
import type { ChannelDirectory } from './events/channel-directory.ts';
import { INTENTS } from './profile.ts';
import { SessionState } from './sessions/session-state.ts';
import { rawGuild, type RawReady, rawReady } from './events/payload-schemas.ts';
import type { RelayDeps } from './relay-deps.ts';
import type { BotIdentity } from './events/message.ts';
import { shardOf, type ShardRef, shelfNameOf } from './sessions/shard-plan.ts';
import { errorName } from '../../../utils/error-name.ts';
import { snowflakeToMs } from '../../../utils/snowflake.ts';

/** How many events are handled concurrently, and how many may wait before the shard rewinds and receives the rest again. */
const LANES = { count: 16, waiting: 1_000 } as const;
const SAVE_MS = 2_000;
const DRAIN_MS = 10_000;
/** The timeout for closing the connection. */
const LEAVE_MS = 2_000;
/** After this, an announced guild without its GUILD_CREATE counts as unavailable. */
const GUILDS_TIMEOUT_MS = 15_000;

/** State that all shards of a process share. */
export type ShardShared = {
  readonly places: ChannelDirectory;
  readonly chatter: UnaddressedFilter;
  /** Resolves with the permit to start a session. */
  readonly mayIdentify: (shard: ShardRef) => Promise<void>;
};

/** Callbacks of a shard. */
export type ShardEvents = {
  /** A heartbeat was acknowledged, or it waits for a permit. */
  readonly alive: () => void;
  /** It receives all events from now on. */
  readonly ready: () => void;
  /** Discord refuses it permanently. */
  readonly fatal: (code: number) => void;
};

/** Delivers the events of one shard. Only one process may run it, since a second one would handle each event twice. */
export class Shard {
  readonly ref: ShardRef;
  readonly #deps: RelayDeps;
  readonly #shared: ShardShared;
  readonly #events: ShardEvents;
  readonly #guilds = new Guilds();
  readonly #progress: SessionState;
  readonly #handOver: DeliverEvent;
  readonly #gaps: BackfillScheduler;
  readonly #lanes = new KeyedQueue(LANES.count, LANES.waiting);
  readonly #connection: Connection;
  /** Events that arrived before the READY that precedes them. */
  #early: Dispatch[] | undefined;
  /** The queue was full, so events are ignored until Discord sends them again. */
  #rewinding = false;
  #stopping = false;
  /** The guilds of the session without their GUILD_CREATE. */
  #awaited: Set<string> | undefined;

  constructor(ref: ShardRef, deps: RelayDeps, shared: ShardShared, events: ShardEvents) {
    this.ref = ref;
    this.#deps = deps;
    this.#shared = shared;
    this.#events = events;
    const { shelf, guildShelf } = deps.shelves(shelfNameOf(ref));
    this.#progress = new SessionState({ ...deps, shelf, guildShelf }, this.#guilds);
    this.#handOver = deliverTo(deps, shared.places);
    const { token, profile, gatewayUrl, sleep, random, log } = deps;
    const me = (): BotIdentity => this.#me();
    this.#gaps = new BackfillScheduler({ relay: deps, places: shared.places, me, handOver: this.#handOver });
    this.#connection = new Connection({
      token,
      shard: ref,
      intents: INTENTS[profile],
      gatewayUrl,
      sleep,
      random,
      alive: events.alive,
      log: log.info,
      session: () => this.#progress.session(),
      mayIdentify: () => shared.mayIdentify(ref),
      began: () => {
        this.#early = [];
      },
      lost: () => this.#progress.lose(),
      opened: () => {
        this.#rewinding = false;
      },
      resumed: events.ready,
      dispatch: (dispatch) => this.#take(dispatch),
      fatal: events.fatal,
    });
  }

  /** Continues where the last process stopped. Resolves when it has started. Never rejects. */
  async start(): Promise<void> {
    await this.#progress.load();
    if (this.#stopping) return;
    this.#connection.open();
    void this.#keepSaving();
  }

  /** Accepts no more events, waits for those in progress, and leaves the session for the next or another process to resume. Never rejects. */
  async stop(): Promise<void> {
    await this.abandon();
    await this.#progress.save();
  }

  /** Like `stop`, but saves nothing: another process runs the shard already. */
  async abandon(): Promise<void> {
    this.#stopping = true;
    const { sleep } = this.#deps;
    await Promise.race([this.#connection.leave().catch(() => undefined), sleep(LEAVE_MS)]);
    await Promise.race([this.#lanes.drain(), sleep(DRAIN_MS)]);
  }

  /** Stops, and deletes the stored state: a new generation has replaced the shard. */
  async retire(): Promise<void> {
    await this.stop();
    const { shelf, guildShelf } = this.#deps.shelves(shelfNameOf(this.ref));
    await Promise.all([shelf.discard(), guildShelf.discard()]).catch((error: unknown) =>
      this.#deps.log.warn('gateway.save-failed', { error: errorName(error) }),
    );
  }

  #me(): BotIdentity {
    return {
      id: this.#progress.me,
      role: (guild) => this.#guilds.role(guild),
      mayConcern: (guild, channel) => this.#shared.chatter.mayConcern(guild, channel),
    };
  }

  #take(dispatch: Dispatch): void {
    if (this.#stopping || this.#rewinding) return;
    const { t, s, d } = dispatch;
    if (t === 'READY') return this.#ready(s, d);
    if (this.#early) return void this.#early.push(dispatch);
    const { watermark } = this.#progress;
    if (!watermark.begins(s)) return;
    if (this.#lanes.isFull) return this.#rewind();
    if (t === 'GUILD_CREATE') return this.#guild(s, d);
    const read = readEvent(t, d, this.#me(), this.#shared.places, this.#deps.now());
    if (read.kind === 'drop') {
      if (t === 'MESSAGE_CREATE') this.#deps.log.debug('gateway.event-dropped', { reason: read.reason });
      return watermark.pass(s);
    }
    void this.#later(read).then(watermark.begin(s, read.message));
  }

  #rewind(): void {
    this.#rewinding = true;
    this.#deps.log.warn('gateway.queue-full', { count: LANES.waiting });
    void this.#rewindLater();
  }

  async #rewindLater(): Promise<void> {
    await this.#lanes.drain();
    if (this.#rewinding) this.#connection.rewind();
  }

  #ready(s: number, d: unknown): void {
    const { success, output: data } = v.safeParse(rawReady, d);
    const early = this.#early ?? [];
    this.#early = undefined;
    if (!success) return this.#deps.log.error('gateway.payload-unreadable', { type: 'READY' });
    const left = this.#leftSince(data);
    this.#progress.begin(s, data);
    const { gap, directs, watermark } = this.#progress;
    const caughtUp =
      gap === undefined ? undefined : this.#gaps.close(undefined, directs, sinceOf(gap, this.#deps.now()));
    void Promise.all([caughtUp, ...left.map((read) => this.#later(read))])
      .then(watermark.begin(s))
      .then(() => this.#progress.save());
    this.#await(data.guilds ?? []);
    for (const dispatch of early) this.#take(dispatch);
  }

  /** Calls `ready` once all guilds have arrived: Discord sends the events of a guild only after its GUILD_CREATE. Until then the former shards receive them. */
  #await(guilds: readonly { readonly id: string }[]): void {
    const awaited = new Set(guilds.map(({ id }) => id));
    this.#awaited = awaited;
    const ready = (): void => {
      if (this.#awaited !== awaited) return;
      this.#awaited = undefined;
      this.#events.ready();
    };
    if (awaited.size === 0) return ready();
    void this.#deps.sleep(GUILDS_TIMEOUT_MS).then(ready);
  }

  /** The guilds that removed the bot while the relay was not connected. */
  #leftSince({ user, guilds }: RawReady): Extract<ParsedEvent, { kind: 'for-us' }>[] {
    if (user.id !== this.#progress.me) this.#guilds.forgetAll();
    if (!guilds) return [];
    const { id: shard, count } = this.ref;
    // Guilds of other shards are not in this READY.
    return this.#guilds
      .missingIn(guilds)
      .filter((id) => shardOf(id, count) === shard)
      .map((id) => guildLeft(id, this.#deps.now()));
  }

  /** GUILD_CREATE: a guild with its channels. Sent once per session, and when the guild is available again. */
  #guild(s: number, d: unknown): void {
    const { gap, watermark, me } = this.#progress;
    const { success, output: data } = v.safeParse(rawGuild, d);
    if (!success) return watermark.pass(s);
    for (const channel of [...(data.channels ?? []), ...(data.threads ?? [])])
      this.#shared.places.learn(channel);
    this.#guilds.learn(data, me);
    if (this.#awaited?.delete(data.id) && this.#awaited.size === 0) {
      this.#awaited = undefined;
      this.#events.ready();
    }
    // In a guild that the bot joined later, no messages were missed.
    const joined = Date.parse(data.joined_at ?? '') || 0;
    if (gap === undefined || joined > snowflakeToMs(gap)) return watermark.pass(s);
    const since = sinceOf(gap, this.#deps.now());
    void this.#gaps.close(data.id, channelsSince(data, since), since).then(watermark.begin(s));
  }

  /** Handles an event in the order of its channel, and after the backfill of its guild. */
  #later(read: Extract<ParsedEvent, { kind: 'for-us' }>): Promise<void> {
    const { guild, channel, left } = read;
    if (guild === undefined) this.#progress.noteDirect(channel);
    if (left !== undefined) this.#guilds.leave(left);
    const closed = this.#gaps.closed(guild);
    return this.#lanes.run(channel, async () => {
      await closed;
      await this.#handOver(read);
      if (left !== undefined) this.#guilds.forget(left);
    });
  }

  async #keepSaving(): Promise<void> {
    while (!this.#stopping) {
      await this.#deps.sleep(SAVE_MS);
      await this.#progress.save();
    }
  }
}
