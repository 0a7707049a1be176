import * as v from 'valibot';
import { listChannelsSince, backfillStart } from './sessions/backfill.ts';
import type { UnaddressedFilter } from './events/unaddressed-filter.ts';
import { Connection, type Dispatch } from './connection.ts';
import { EditFilter } from './events/edit-filter.ts';
import { createGuildRemoval, parseGatewayEvent, type ParsedEvent } from './events/events.ts';
import { BackfillScheduler } from './sessions/backfill-scheduler.ts';
import { BackfillStarts } from './sessions/backfill-starts.ts';
import { Guilds } from './events/guilds.ts';
import { type DeliverEvent, createEventDelivery } from './events/deliver-event.ts';
import { KeyedQueue, getErrorFacts, snowflakeToMs } from '../../../utils/index.ts';
import type { ChannelDirectory } from './events/channel-directory.ts';
import { INTENTS } from './profile.ts';
import { SessionState } from './sessions/session-state.ts';
import { rawGuild, rawLeft, type RawReady, rawReady } from './events/payload-schemas.ts';
import type { RelayDeps } from './relay-deps.ts';
import type { BotIdentity } from './events/message.ts';
import { getShard, type ShardRef, getStoreName } from './sessions/shard-plan.ts';

/** How many events are handled concurrently, and how many may wait before the shard rewinds and receives the rest again. */
const EVENT_QUEUE = { count: 16, waiting: 1_000 } as const;
const SAVE_INTERVAL_MS = 2_000;
const DRAIN_TIMEOUT_MS = 10_000;
/** The timeout for closing the connection. */
const CLOSE_TIMEOUT_MS = 2_000;
/** After this, an announced guild without its GUILD_CREATE counts as unavailable. */
const GUILDS_TIMEOUT_MS = 15_000;

/** State that all shards of a process share. */
export type SharedShardState = {
  readonly channels: ChannelDirectory;
  readonly unaddressedFilter: UnaddressedFilter;
  /** Resolves with the permit to start a session. */
  readonly waitForIdentify: (shard: ShardRef) => Promise<void>;
};

/** Callbacks of a shard. */
export type ShardEvents = {
  /** A heartbeat was acknowledged, or it waits for a permit. */
  readonly onAlive: () => void;
  /** It receives all events from now on. */
  readonly onReady: () => void;
  /** Discord refuses it permanently. */
  readonly onFatalClose: (code: number) => void;
};

/** Delivers the events of one shard. Only one process may run it, since a second one would handle each event twice. */
export class Shard {
  readonly ref: ShardRef;
  readonly #deps: RelayDeps;
  readonly #shared: SharedShardState;
  readonly #events: ShardEvents;
  readonly #guilds = new Guilds();
  readonly #state: SessionState;
  readonly #deliver: DeliverEvent;
  readonly #backfills: BackfillScheduler;
  readonly #backfillStarts = new BackfillStarts();
  readonly #queue = new KeyedQueue(EVENT_QUEUE.count, EVENT_QUEUE.waiting);
  readonly #connection: Connection;
  /** Not shared by shards: one that resumes the session of another must accept the edits that the other did not handle. */
  readonly #editFilter: EditFilter;
  /** Events that arrived before the READY that precedes them. */
  #beforeReady: Dispatch[] | undefined;
  /** The queue was full, so events are ignored until Discord sends them again. */
  #isRewinding = false;
  #isStopping = false;
  /** The guilds of the session without their GUILD_CREATE. */
  #pendingGuilds: Set<string> | undefined;

  constructor(ref: ShardRef, deps: RelayDeps, shared: SharedShardState, events: ShardEvents) {
    this.ref = ref;
    this.#deps = deps;
    this.#shared = shared;
    this.#events = events;
    const { checkpointStore, guildStore } = deps.shardStores(getStoreName(ref));
    this.#state = new SessionState({ ...deps, checkpointStore, guildStore }, this.#guilds);
    this.#deliver = createEventDelivery(deps, shared.channels);
    this.#editFilter = new EditFilter(deps.now);
    const { token, profile, gatewayUrl, sleep, random, log } = deps;
    const bot = (): BotIdentity => this.#identity();
    this.#backfills = new BackfillScheduler({
      relay: deps,
      channels: shared.channels,
      bot,
      deliver: this.#deliver,
    });
    this.#connection = new Connection({
      token,
      shard: ref,
      intents: INTENTS[profile],
      gatewayUrl,
      sleep,
      random,
      onAlive: events.onAlive,
      log: log.info,
      session: () => this.#state.session(),
      waitForIdentify: () => shared.waitForIdentify(ref),
      onNewSession: () => {
        this.#beforeReady = [];
      },
      onSessionLost: () => this.#state.dropSession(),
      onOpen: () => {
        this.#isRewinding = false;
      },
      onResumed: events.onReady,
      dispatch: (dispatch) => this.#handle(dispatch),
      onFatalClose: events.onFatalClose,
    });
  }

  /** Continues where the last process stopped. Resolves when it has started. Never rejects. */
  async start(): Promise<void> {
    await this.#state.load();
    if (this.#isStopping) return;
    this.#connection.open();
    void this.#saveRegularly();
  }

  /** Accepts no more events, waits for those in progress, and leaves the session for the next or another process to resume. Never rejects. */
  async stop(): Promise<void> {
    await this.abandon();
    await this.#state.save();
  }

  /** Like `stop`, but saves nothing: another process runs the shard already. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    const { sleep } = this.#deps;
    await Promise.race([this.#connection.leave().catch(() => undefined), sleep(CLOSE_TIMEOUT_MS)]);
    await Promise.race([this.#queue.drain(), sleep(DRAIN_TIMEOUT_MS)]);
  }

  /** Stops, and deletes the stored state: a new generation has replaced the shard. */
  async retire(): Promise<void> {
    await this.stop();
    const { checkpointStore, guildStore } = this.#deps.shardStores(getStoreName(this.ref));
    await Promise.all([checkpointStore.discard(), guildStore.discard()]).catch((error: unknown) =>
      this.#deps.log.warn('gateway.save-failed', getErrorFacts(error)),
    );
  }

  #identity(): BotIdentity {
    return {
      id: this.#state.botId,
      role: (guild) => this.#guilds.role(guild),
      mayConcern: (guild, channel) => this.#shared.unaddressedFilter.mayConcern(guild, channel),
      acceptEdit: (message, editedAtMs) => this.#editFilter.accept(message, editedAtMs),
    };
  }

  #handle(dispatch: Dispatch): void {
    if (this.#isStopping || this.#isRewinding) return;
    const { t, s, d } = dispatch;
    if (t === 'READY') return this.#handleReady(s, d);
    if (this.#beforeReady) return void this.#beforeReady.push(dispatch);
    const { watermark } = this.#state;
    if (!watermark.isNew(s)) return;
    if (this.#queue.isFull) return this.#rewind();
    if (t === 'GUILD_CREATE') return this.#handleGuildCreate(s, d);
    if (t === 'GUILD_DELETE') this.#noteOutage(d);
    const event = parseGatewayEvent(t, d, this.#identity(), this.#shared.channels, this.#deps.now());
    if (event.kind === 'drop') {
      if (t === 'MESSAGE_CREATE') this.#deps.log.debug('gateway.event-dropped', { reason: event.reason });
      return watermark.skip(s);
    }
    void this.#enqueue(event).then(watermark.track(s, event.message));
  }

  #rewind(): void {
    this.#isRewinding = true;
    this.#deps.log.warn('gateway.queue-full', { count: EVENT_QUEUE.waiting });
    void this.#rewindWhenDrained();
  }

  async #rewindWhenDrained(): Promise<void> {
    await this.#queue.drain();
    if (this.#isRewinding) this.#connection.rewind();
  }

  #handleReady(s: number, d: unknown): void {
    const { success, output: data } = v.safeParse(rawReady, d);
    const dispatches = this.#beforeReady ?? [];
    this.#beforeReady = undefined;
    if (!success) return this.#deps.log.error('gateway.payload-unreadable', { type: 'READY' });
    const removals = this.#findRemovals(data);
    this.#state.startSession(s, data);
    this.#backfillStarts.startSession();
    const { backfillAfter, directChannels, watermark } = this.#state;
    const backfilled =
      backfillAfter === undefined
        ? undefined
        : this.#backfills.backfill(undefined, directChannels, backfillStart(backfillAfter, this.#deps.now()));
    void Promise.all([backfilled, ...removals.map((event) => this.#enqueue(event))])
      .then(watermark.track(s))
      .then(() => this.#state.save());
    this.#awaitGuilds(data.guilds ?? []);
    for (const dispatch of dispatches) this.#handle(dispatch);
  }

  /** Calls `ready` once all guilds have arrived: Discord sends the events of a guild only after its GUILD_CREATE. Until then the former shards receive them. */
  #awaitGuilds(guilds: readonly { readonly id: string }[]): void {
    const pendingGuilds = new Set(guilds.map(({ id }) => id));
    this.#pendingGuilds = pendingGuilds;
    const ready = (): void => {
      if (this.#pendingGuilds !== pendingGuilds) return;
      this.#pendingGuilds = undefined;
      this.#events.onReady();
    };
    if (pendingGuilds.size === 0) return ready();
    void this.#deps.sleep(GUILDS_TIMEOUT_MS).then(ready);
  }

  #markArrived(guild: string): void {
    if (!this.#pendingGuilds?.delete(guild) || this.#pendingGuilds.size > 0) return;
    this.#pendingGuilds = undefined;
    this.#events.onReady();
  }

  /** The guilds that removed the bot while the relay was not connected. */
  #findRemovals({ user, guilds }: RawReady): Extract<ParsedEvent, { kind: 'for-us' }>[] {
    if (user.id !== this.#state.botId) this.#guilds.clear();
    if (!guilds) return [];
    const { id: shard, count } = this.ref;
    // Guilds of other shards are not in this READY.
    return this.#guilds
      .findMissing(guilds)
      .filter((id) => getShard(id, count) === shard)
      .map((id) => createGuildRemoval(id, this.#deps.now()));
  }

  /** GUILD_DELETE: the bot has left, or the guild is unavailable for some time. It may arrive late, after other events of a resumed session. */
  #noteOutage(d: unknown): void {
    const { success, output: data } = v.safeParse(rawLeft, d);
    if (!success || !data.unavailable) return;
    const seenAt = snowflakeToMs(this.#state.watermark.seen);
    this.#backfillStarts.startOutage(data.id, Math.min(this.#deps.now(), seenAt));
  }

  /** GUILD_CREATE: a guild with its channels. Sent once per session, and when the guild is available again. In an outage, the first has no channels. */
  #handleGuildCreate(s: number, d: unknown): void {
    const { backfillAfter, watermark, botId: bot } = this.#state;
    const { success, output: data } = v.safeParse(rawGuild, d);
    if (!success) return watermark.skip(s);
    this.#markArrived(data.id);
    if (data.unavailable) return watermark.skip(s);
    for (const channel of [...(data.channels ?? []), ...(data.threads ?? [])])
      this.#shared.channels.add(channel);
    this.#guilds.add(data, bot);
    const start = this.#backfillStarts.take(data.id, backfillAfter);
    // In a guild that the bot joined later, no messages were missed.
    const joinedAt = Date.parse(data.joined_at ?? '') || 0;
    if (start === undefined || joinedAt > snowflakeToMs(start)) return watermark.skip(s);
    const since = backfillStart(start, this.#deps.now());
    void this.#backfills.backfill(data.id, listChannelsSince(data, since), since).then(watermark.track(s));
  }

  /** Handles an event in the order of its channel, and after the backfill of its guild. */
  #enqueue(event: Extract<ParsedEvent, { kind: 'for-us' }>): Promise<void> {
    const { guild, channel, leftGuild } = event;
    if (guild === undefined) this.#state.addDirectChannel(channel);
    if (leftGuild !== undefined) this.#guilds.markLeft(leftGuild);
    const handle = async (): Promise<void> => {
      await this.#deliver(event);
      if (leftGuild !== undefined) this.#guilds.removeLeft(leftGuild);
    };
    return this.#queue.run(channel, handle, this.#backfills.untilBackfilled(guild));
  }

  async #saveRegularly(): Promise<void> {
    while (!this.#isStopping) {
      await this.#deps.sleep(SAVE_INTERVAL_MS);
      await this.#state.save();
    }
  }
}
