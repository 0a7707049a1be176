import { SerialQueue } from '../../../../utils/serial-queue.ts';
import { type Checkpoint, isAddress, readCheckpoint } from './checkpoint.ts';
import type { Session } from '../connection.ts';
import type { Guilds } from '../events/guilds.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { RawReady } from '../events/payload-schemas.ts';
import type { RelayDeps, Shelves } from '../relay-deps.ts';
import { Watermark } from './watermark.ts';
import { errorName } from '../../../../utils/error-name.ts';
import { msToSnowflake } from '../../../../utils/snowflake.ts';
import { snowflakeToMs } from '../../../../utils/snowflake.ts';

const DIRECTS = 50;
/** Ids of one moment come from many machines, and their events not in the order of their ids. */
const MARGIN_MS = 60_000;

type ProgressDeps = Pick<RelayDeps, 'gatewayUrl' | 'now' | 'sleep' | 'hopeless' | 'log'> & Shelves;

/** How far the relay got, in this process and those before it. */
export class SessionState {
  /** The bot's own user; empty before the first READY. */
  me = '';
  /** From where this session has to catch up, as an id. Absent before there is one. */
  gap: string | undefined;
  watermark = new Watermark(0, '0');
  /** DMs in which somebody wrote of late, the latest first: no event lists them. */
  directs: readonly string[] = [];
  readonly #deps: ProgressDeps;
  readonly #guilds: Guilds;
  #session: Pick<Session, 'id' | 'resumeUrl'> | undefined;
  #saved = { bookmark: '', guilds: '[]' };
  readonly #queue = new SerialQueue();

  constructor(deps: ProgressDeps, guilds: Guilds) {
    this.#deps = deps;
    this.#guilds = guilds;
  }

  /** Goes on where the last process stopped. Never rejects: without what was kept, a session would begin anew and nothing be caught up on. */
  async load(): Promise<void> {
    const { shelf, guildShelf } = this.#deps;
    const patience = retryOptions('load', this.#deps);
    const [text, guilds] = await Promise.all([
      retryForever(() => shelf.load(), patience),
      retryForever(() => guildShelf.load(), patience),
    ]);
    this.#guilds.read(guilds ?? '');
    const bookmark = text === undefined ? undefined : readCheckpoint(text);
    if (!bookmark) return this.#beginFirst();
    const { me, session, seen, gap, directs } = bookmark;
    this.me = me;
    this.directs = directs;
    this.gap = gap;
    this.watermark = new Watermark(session?.sequence ?? 0, seen);
    // READY is not sent again: a session in which what it asks for was broken off is not gone on with.
    if (session && session.sequence > 0) this.#session = session;
  }

  /** Written down before Discord is asked for anything: what comes from now on is made up for, even if this process ends now. */
  #beginFirst(): Promise<void> {
    this.watermark = new Watermark(0, msToSnowflake(this.#deps.now() - 1));
    return this.save();
  }

  /** The session to go on with, if there is one. */
  session(): Session | undefined {
    return this.#session && { ...this.#session, sequence: this.watermark.handled };
  }

  lose(): void {
    this.#session = undefined;
  }

  /** A session has begun, with this sequence number. */
  begin(sequence: number, ready: RawReady): void {
    const { gatewayUrl } = this.#deps;
    const { seen } = this.watermark;
    // Before the first session nothing was seen: what was written before this bot was set up is none of ours.
    this.gap = this.me === '' ? seen : msToSnowflake(snowflakeToMs(seen) - MARGIN_MS);
    this.watermark = new Watermark(sequence - 1, seen);
    this.me = ready.user.id;
    const { session_id: id, resume_gateway_url: url } = ready;
    this.#session = { id, resumeUrl: isAddress(url) ? url : gatewayUrl };
  }

  noteDirect(channel: string): void {
    if (this.directs[0] === channel) return;
    this.directs = [channel, ...this.directs.filter((one) => one !== channel)].slice(0, DIRECTS);
  }

  /** One write at a time, so that none overtakes another. Never rejects: what was not saved is saved next time. */
  save(): Promise<void> {
    return this.#queue.run(() => this.#write());
  }

  /** The guilds first: what counts as handled must not be forgotten. */
  async #write(): Promise<void> {
    const { shelf, guildShelf, log } = this.#deps;
    const [bookmark, guilds] = [JSON.stringify(this.#bookmark()), this.#guilds.text()];
    try {
      if (guilds !== this.#saved.guilds) await guildShelf.save(guilds);
      if (bookmark !== this.#saved.bookmark) await shelf.save(bookmark);
      this.#saved = { bookmark, guilds };
    } catch (error) {
      log.warn('gateway.save-failed', { error: errorName(error) });
    }
  }

  #bookmark(): Checkpoint {
    const { me, gap, directs, watermark } = this;
    return { me, session: this.session(), seen: watermark.seen, gap, directs: [...directs] };
  }
}
