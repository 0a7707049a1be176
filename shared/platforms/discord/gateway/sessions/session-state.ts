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
/** Ids of the same time come from many machines, so events do not arrive in the order of their ids. */
const MARGIN_MS = 60_000;

type ProgressDeps = Pick<RelayDeps, 'gatewayUrl' | 'now' | 'sleep' | 'hopeless' | 'log'> & Shelves;

/** The progress of a shard, in this process and former ones. */
export class SessionState {
  /** The bot's own user; empty before the first READY. */
  me = '';
  /** The id after which this session has to backfill. Absent before the first session. */
  gap: string | undefined;
  watermark = new Watermark(0, '0');
  /** DMs with recent messages, the latest first: no event lists them. */
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

  /** Loads the stored state. Retries until it succeeds, since without it a new session would start without a backfill. Never rejects. */
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
    // Discord does not send READY again, so a session whose READY was not handled is not resumed.
    if (session && session.sequence > 0) this.#session = session;
  }

  /** Saved before the first request: messages from now on are backfilled, even if this process ends now. */
  #beginFirst(): Promise<void> {
    this.watermark = new Watermark(0, msToSnowflake(this.#deps.now() - 1));
    return this.save();
  }

  /** The session to resume, if there is one. */
  session(): Session | undefined {
    return this.#session && { ...this.#session, sequence: this.watermark.handled };
  }

  lose(): void {
    this.#session = undefined;
  }

  /** Records that a session has started, with this sequence number. */
  begin(sequence: number, ready: RawReady): void {
    const { gatewayUrl } = this.#deps;
    const { seen } = this.watermark;
    // Before the first session there is nothing to backfill: earlier messages were not for this bot.
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

  /** Saves one at a time, to keep the order. Never rejects: the next save includes what failed. */
  save(): Promise<void> {
    return this.#queue.run(() => this.#write());
  }

  /** Saves the guilds first, so that no guild of a handled event is lost. */
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
