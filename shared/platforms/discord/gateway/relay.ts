import { bornAt } from '../index.ts';
import { type Bookmark, idAt, isAddress, readBookmark } from './bookmark.ts';
import { catchUp, channelsSince, sinceOf } from './catch-up.ts';
import { Connection, type Dispatch, type Session } from './connection.ts';
import { readEvent, readOld, type Read } from './events.ts';
import { Lanes } from './lanes.ts';
import { patiently } from './patiently.ts';
import { permission } from './permission.ts';
import { Places } from './places.ts';
import { FATAL, INTENTS } from './profile.ts';
import { rawGuild, type RawMessage, rawReady } from './raw.ts';
import type { RelayDeps } from './relay-deps.ts';
import { Watermark } from './watermark.ts';

/** How much is handed over side by side, and how much may wait for it before the rest is left to be sent again. */
const LANES = { count: 16, waiting: 1_000 } as const;
const SAVE_MS = 2_000;
const DRAIN_MS = 10_000;
/** How often it is said again that the relay has stopped for good, and how often that it lives. */
const STOPPED_MS = 300_000;
const ALIVE_MS = 30_000;
const DIRECTS = 50;
/** Tries for what will not succeed anyway. */
const HOPELESS_TRIES = 3;

type Id = { readonly id: string; readonly resumeUrl: string };

/** Hands over what happens on Discord. One for a bot: a second one would do everything twice. */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #places: Places;
  readonly #lanes = new Lanes(LANES.count, LANES.waiting);
  readonly #connection: Connection;
  #me = { id: '', roles: new Map<string, string>() };
  #session: Id | undefined;
  #watermark = new Watermark(0, '0');
  #gap: string | undefined;
  #directs: string[] = [];
  /** What came before the READY that it follows. */
  #early: Dispatch[] | undefined;
  /** What comes now will be sent again: too much was waiting. */
  #rewinding = false;
  #stopping = false;
  /** What a guild's events wait for: that it has caught up. '' stands for DMs. */
  readonly #gates = new Map<string, Promise<void>>();
  #catching = Promise.resolve();
  #saved = '';
  #saving = Promise.resolve();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#places = new Places(deps.reads);
    const { token, profile, gatewayUrl, sleep, random, alive, log } = deps;
    const wait = (ms: number): Promise<void> => this.#wait(ms);
    this.#connection = new Connection({
      token,
      intents: INTENTS[profile],
      gatewayUrl,
      sleep,
      random,
      alive,
      log: log.info,
      session: () => this.#resumable(),
      mayIdentify: permission({ ...deps, wait, refused: () => this.#park(4004) }),
      began: () => {
        this.#early = [];
      },
      lost: () => {
        this.#session = undefined;
      },
      opened: () => {
        this.#rewinding = false;
      },
      dispatch: (dispatch) => this.#take(dispatch),
      fatal: (code) => void this.#park(code),
    });
  }

  /** Goes on where the last process stopped. Resolves when it has begun to; rejects never. */
  async start(): Promise<void> {
    const text = await patiently(() => this.#deps.shelf.load(), this.#patience('load'));
    const bookmark = text === undefined ? undefined : readBookmark(text);
    if (bookmark) this.#goOn(bookmark);
    this.#connection.open();
    void this.#keepSaving();
  }

  /** Takes nothing more, waits for what is on its way, and leaves the session to be resumed by the next process. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.race([this.#lanes.drained(), this.#deps.sleep(DRAIN_MS)]);
    await this.#save();
  }

  #goOn({ me, roles, session, seen, gap, directs }: Bookmark): void {
    this.#me = { id: me, roles: new Map(roles) };
    this.#session = session;
    this.#watermark = new Watermark(session?.sequence ?? 0, seen);
    this.#gap = gap;
    this.#directs = directs;
    // READY is not sent again: what it asked for was broken off.
    if (session && session.sequence < 1) this.#gates.set('', this.#catchUpDirects());
  }

  #resumable(): Session | undefined {
    return this.#session && { ...this.#session, sequence: this.#watermark.handled };
  }

  #take(dispatch: Dispatch): void {
    if (this.#stopping || this.#rewinding) return;
    const { t, s, d } = dispatch;
    if (t === 'READY') return this.#ready(s, d);
    if (this.#early) return void this.#early.push(dispatch);
    if (!this.#watermark.begins(s)) return;
    if (this.#lanes.full) return this.#rewind();
    if (t === 'GUILD_CREATE') return this.#guild(s, d);
    const read = readEvent(t, d, this.#me, this.#places, this.#deps.now());
    if (read.kind === 'drop') {
      if (t === 'MESSAGE_CREATE') this.#deps.log.debug('gateway.dropped', { reason: read.reason });
      return this.#watermark.pass(s);
    }
    const done = this.#watermark.begin(s, read.message);
    void then(this.#later(read), done);
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
    const { success, data } = rawReady.safeParse(d);
    const early = this.#early ?? [];
    this.#early = undefined;
    if (!success) return this.#deps.log.error('gateway.unreadable', { type: 'READY' });
    const { seen } = this.#watermark;
    this.#gap = seen === '0' ? undefined : seen;
    this.#watermark = new Watermark(s - 1, this.#gap ?? idAt(this.#deps.now()));
    this.#me = { ...this.#me, id: data.user.id };
    const resumeUrl = isAddress(data.resume_gateway_url) ? data.resume_gateway_url : this.#deps.gatewayUrl;
    this.#session = { id: data.session_id, resumeUrl };
    const done = this.#watermark.begin(s);
    const gate = this.#catchUpDirects();
    this.#gates.set('', gate);
    void then(gate, done);
    void this.#save();
    for (const dispatch of early) this.#take(dispatch);
  }

  /** A guild and what stands in it: comes once with a new session, and when it can be seen again. */
  #guild(s: number, d: unknown): void {
    const { success, data } = rawGuild.safeParse(d);
    if (!success) return this.#watermark.pass(s);
    for (const channel of [...(data.channels ?? []), ...(data.threads ?? [])]) this.#places.learn(channel);
    const role = data.roles?.find(({ tags }) => tags?.bot_id === this.#me.id);
    if (role) this.#me.roles.set(data.id, role.id);
    const gap = this.#gap;
    // Nothing was missed in a guild that the bot came to later.
    const joined = Date.parse(data.joined_at ?? '') || 0;
    if (gap === undefined || joined > bornAt(gap)) return this.#watermark.pass(s);
    const done = this.#watermark.begin(s);
    const since = sinceOf(gap, this.#deps.now());
    const gate = this.#catchUp(channelsSince(data, since), since, data.id);
    this.#gates.set(data.id, gate);
    void then(gate, done);
  }

  #catchUpDirects(): Promise<void> {
    if (this.#gap === undefined) return Promise.resolve();
    return this.#catchUp(this.#directs, sinceOf(this.#gap, this.#deps.now()), undefined);
  }

  /** One guild after the other, so that Discord is not asked for everything at once. */
  #catchUp(channels: readonly string[], since: string, guild: string | undefined): Promise<void> {
    const { now, reads, log } = this.#deps;
    const take = (message: RawMessage): Promise<void> =>
      this.#handOver(readOld(message, guild, this.#me, this.#places));
    const messages = (channel: string, after: string, limit: number): Promise<unknown> =>
      patiently(() => reads.messages(channel, after, limit), this.#patience('messages'));
    this.#catching = this.#catching.then(() =>
      catchUp(channels, since, { now, messages, take, log: log.warn }),
    );
    return this.#catching;
  }

  /** In order within its channel, and behind what its guild has to catch up on. */
  #later(read: Extract<Read, { kind: 'for-us' }>): Promise<void> {
    const gate = this.#gates.get(read.guild ?? '');
    if (read.guild === undefined) this.#noteDirect(read.channel);
    return this.#lanes.run(read.channel, async () => {
      await gate;
      await this.#handOver(read);
    });
  }

  async #handOver(read: Read): Promise<void> {
    if (read.kind === 'drop') return;
    const { happen, log } = this.#deps;
    const { channel, message } = read;
    const happenings = await patiently(() => read.happenings(this.#places), this.#patience('places'));
    if (typeof happenings === 'string') return log.debug('gateway.dropped', { reason: happenings });
    for (const happening of happenings ?? []) {
      const outcome = await patiently(() => happen(happening), this.#patience('happen', true));
      log.info('gateway.taken', { kind: happening.kind, outcome, channel, message });
    }
  }

  #patience(what: string, mayGiveUp = false) {
    const { sleep, hopeless, log } = this.#deps;
    const failed = (error: unknown, attempt: number): 'again' | 'give-up' => {
      const over = mayGiveUp && attempt >= HOPELESS_TRIES && hopeless(error);
      const facts = { kind: what, attempt, error: nameOf(error) };
      if (over) log.error('gateway.given-up', facts);
      else log.warn('gateway.again', facts);
      return over ? 'give-up' : 'again';
    };
    return { sleep, failed };
  }

  #noteDirect(channel: string): void {
    if (this.#directs[0] === channel) return;
    this.#directs = [channel, ...this.#directs.filter((one) => one !== channel)].slice(0, DIRECTS);
  }

  async #keepSaving(): Promise<void> {
    while (!this.#stopping) {
      await this.#deps.sleep(SAVE_MS);
      await this.#save();
    }
  }

  /** One write at a time, so that none overtakes another. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    const { id: me, roles } = this.#me;
    // Before the first READY there is nothing to go on from.
    if (me === '') return;
    const session = this.#resumable();
    const { seen } = this.#watermark;
    const bookmark: Bookmark = {
      me,
      roles: [...roles],
      session,
      seen,
      gap: this.#gap,
      directs: this.#directs,
    };
    const text = JSON.stringify(bookmark);
    if (text === this.#saved) return;
    try {
      await this.#deps.shelf.save(text);
      this.#saved = text;
    } catch (error) {
      this.#deps.log.warn('gateway.unsaved', { error: nameOf(error) });
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

async function then(work: Promise<void>, done: () => void): Promise<void> {
  await work;
  done();
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');
