import * as v from 'valibot';
import { bornAt } from '../index.ts';
import { channelsSince, sinceOf } from './catch-up.ts';
import { Chatter } from './chatter.ts';
import { Connection, type Dispatch } from './connection.ts';
import { guildLeft, readEvent, type Read } from './events.ts';
import { Gaps } from './gaps.ts';
import { Guilds } from './guilds.ts';
import { type HandOver, handOverTo } from './hand-over.ts';
import { Lanes } from './lanes.ts';
import { permission } from './permission.ts';
import { Places } from './places.ts';
import { FATAL, INTENTS } from './profile.ts';
import { Progress } from './progress.ts';
import { rawGuild, type RawReady, rawReady } from './raw.ts';
import type { RelayDeps } from './relay-deps.ts';
import type { Me } from './said.ts';

/** How much is handed over side by side, and how much may wait for it before the rest is left to be sent again. */
const LANES = { count: 16, waiting: 1_000 } as const;
const SAVE_MS = 2_000;
const DRAIN_MS = 10_000;
/** How often it is said again that the relay has stopped for good, and how often that it lives. */
const STOPPED_MS = 300_000;
const ALIVE_MS = 30_000;

/** Hands over what happens on Discord. One for a bot: a second one would do everything twice. */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #places: Places;
  readonly #guilds = new Guilds();
  readonly #chatter: Chatter;
  readonly #progress: Progress;
  readonly #handOver: HandOver;
  readonly #gaps: Gaps;
  readonly #lanes = new Lanes(LANES.count, LANES.waiting);
  readonly #connection: Connection;
  /** What came before the READY that it follows. */
  #early: Dispatch[] | undefined;
  /** What comes now will be sent again: too much was waiting. */
  #rewinding = false;
  #stopping = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#places = new Places(deps.reads);
    this.#chatter = new Chatter(deps.mayConcern, deps.now);
    this.#progress = new Progress(deps, this.#guilds);
    this.#handOver = handOverTo(deps, this.#places);
    const { token, profile, gatewayUrl, sleep, random, alive, log } = deps;
    const me = (): Me => this.#me();
    this.#gaps = new Gaps({ relay: deps, places: this.#places, me, handOver: this.#handOver });
    const wait = (ms: number): Promise<void> => this.#wait(ms);
    this.#connection = new Connection({
      token,
      intents: INTENTS[profile],
      gatewayUrl,
      sleep,
      random,
      alive,
      log: log.info,
      session: () => this.#progress.session(),
      mayIdentify: permission({ ...deps, wait, refused: () => this.#park(4004) }),
      began: () => {
        this.#early = [];
      },
      lost: () => this.#progress.lose(),
      opened: () => {
        this.#rewinding = false;
      },
      dispatch: (dispatch) => this.#take(dispatch),
      fatal: (code) => void this.#park(code),
    });
  }

  /** Goes on where the last process stopped. Resolves when it has begun to; rejects never. */
  async start(): Promise<void> {
    await this.#progress.load();
    this.#connection.open();
    void this.#keepSaving();
  }

  /** Takes nothing more, waits for what is on its way, and leaves the session to be resumed by the next process. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.race([this.#lanes.drained(), this.#deps.sleep(DRAIN_MS)]);
    await this.#progress.save();
  }

  #me(): Me {
    return {
      id: this.#progress.me,
      role: (guild) => this.#guilds.role(guild),
      mayConcern: (guild, channel) => this.#chatter.mayConcern(guild, channel),
    };
  }

  #take(dispatch: Dispatch): void {
    if (this.#stopping || this.#rewinding) return;
    const { t, s, d } = dispatch;
    if (t === 'READY') return this.#ready(s, d);
    if (this.#early) return void this.#early.push(dispatch);
    const { watermark } = this.#progress;
    if (!watermark.begins(s)) return;
    if (this.#lanes.full) return this.#rewind();
    if (t === 'GUILD_CREATE') return this.#guild(s, d);
    const read = readEvent(t, d, this.#me(), this.#places, this.#deps.now());
    if (read.kind === 'drop') {
      if (t === 'MESSAGE_CREATE') this.#deps.log.debug('gateway.dropped', { reason: read.reason });
      return watermark.pass(s);
    }
    void this.#later(read).then(watermark.begin(s, read.message));
  }

  #rewind(): void {
    this.#rewinding = true;
    this.#deps.log.warn('gateway.full', { count: LANES.waiting });
    void this.#rewindLater();
  }

  async #rewindLater(): Promise<void> {
    await this.#lanes.drained();
    if (this.#rewinding) this.#connection.rewind();
  }

  #ready(s: number, d: unknown): void {
    const { success, output: data } = v.safeParse(rawReady, d);
    const early = this.#early ?? [];
    this.#early = undefined;
    if (!success) return this.#deps.log.error('gateway.unreadable', { type: 'READY' });
    const left = this.#leftSince(data);
    this.#progress.begin(s, data);
    const { gap, directs, watermark } = this.#progress;
    const caughtUp =
      gap === undefined ? undefined : this.#gaps.close(undefined, directs, sinceOf(gap, this.#deps.now()));
    void Promise.all([caughtUp, ...left.map((read) => this.#later(read))])
      .then(watermark.begin(s))
      .then(() => this.#progress.save());
    for (const dispatch of early) this.#take(dispatch);
  }

  /** The guilds that have put this bot out while nobody was told. */
  #leftSince({ user, guilds }: RawReady): Extract<Read, { kind: 'for-us' }>[] {
    if (user.id !== this.#progress.me) this.#guilds.forgetAll();
    if (!guilds) return [];
    return this.#guilds.missingIn(guilds).map((id) => guildLeft(id, this.#deps.now()));
  }

  /** A guild and what stands in it: comes once with a new session, and when it can be seen again. */
  #guild(s: number, d: unknown): void {
    const { gap, watermark, me } = this.#progress;
    const { success, output: data } = v.safeParse(rawGuild, d);
    if (!success) return watermark.pass(s);
    for (const channel of [...(data.channels ?? []), ...(data.threads ?? [])]) this.#places.learn(channel);
    this.#guilds.learn(data, me);
    // Nothing was missed in a guild that the bot came to later.
    const joined = Date.parse(data.joined_at ?? '') || 0;
    if (gap === undefined || joined > bornAt(gap)) return watermark.pass(s);
    const since = sinceOf(gap, this.#deps.now());
    void this.#gaps.close(data.id, channelsSince(data, since), since).then(watermark.begin(s));
  }

  /** In order within its channel, and behind what its guild has to catch up on. */
  #later(read: Extract<Read, { kind: 'for-us' }>): Promise<void> {
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

  async #wait(ms: number): Promise<void> {
    for (let left = ms; left > 0 && !this.#stopping; left -= ALIVE_MS) {
      this.#deps.alive();
      await this.#deps.sleep(Math.min(left, ALIVE_MS));
    }
  }

  /** Stays, and does nothing: a process that ends would be started again, and would ask for the next session. Never resolves. */
  async #park(code: number): Promise<void> {
    while (!this.#stopping) {
      this.#deps.log.error('gateway.stopped', { code, reason: FATAL.get(code) });
      await this.#wait(STOPPED_MS);
    }
    return new Promise(() => undefined);
  }
}
