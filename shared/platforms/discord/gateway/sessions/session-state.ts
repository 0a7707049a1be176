import { SerialQueue, getErrorFacts, msToSnowflake, snowflakeToMs } from '../../../../utils/index.ts';
import { type Checkpoint, isWebSocketUrl, readCheckpoint } from './checkpoint.ts';
import type { Session } from '../connection.ts';
import type { Guilds } from '../events/guilds.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { RawReady } from '../events/payload-schemas.ts';
import type { RelayDeps, ShardStores } from '../relay-deps.ts';
import { Watermark } from './watermark.ts';

const MAX_DIRECT_CHANNELS = 50;
/**
 * Ids of the same time come from many machines, so events do not arrive in the order of their ids: the
 * backfill starts this much earlier.
 */
const ID_ORDER_MARGIN_MS = 60_000;

type SessionStateDeps = Pick<RelayDeps, 'gatewayUrl' | 'now' | 'sleep' | 'isPermanentError' | 'log'> &
  ShardStores;

/** The progress of a shard, in this process and former ones. */
export class SessionState {
  /** The user id of the bot; empty before the first READY. */
  botId = '';
  /** The id after which this session has to backfill. Absent before the first session. */
  backfillAfter: string | undefined;
  watermark = new Watermark(0, '0');
  /** DMs with recent messages, the latest first: no event lists them. */
  directChannels: readonly string[] = [];
  readonly #deps: SessionStateDeps;
  readonly #guilds: Guilds;
  #session: Pick<Session, 'id' | 'resumeUrl'> | undefined;
  #saved = { checkpoint: '', guilds: '[]' };
  readonly #queue = new SerialQueue();

  constructor(deps: SessionStateDeps, guilds: Guilds) {
    this.#deps = deps;
    this.#guilds = guilds;
  }

  /** Loads the stored state. Retries until it succeeds, since without it a new session would start without a backfill. Never rejects. */
  async load(): Promise<void> {
    const { checkpointStore, guildStore } = this.#deps;
    const retryForLoad = retryOptions('load', this.#deps);
    const [text, guilds] = await Promise.all([
      retryForever(() => checkpointStore.load(), retryForLoad),
      retryForever(() => guildStore.load(), retryForLoad),
    ]);
    this.#guilds.addStored(guilds ?? '');
    const checkpoint = text === undefined ? undefined : readCheckpoint(text);
    if (!checkpoint) return this.#saveFirst();
    const { me: botId, session, seen, gap: backfillAfter, directs: directChannels } = checkpoint;
    this.botId = botId;
    this.directChannels = directChannels;
    this.backfillAfter = backfillAfter;
    this.watermark = new Watermark(session?.sequence ?? 0, seen);
    // Discord does not send READY again, so a session whose READY was not handled is not resumed.
    if (session && session.sequence > 0) this.#session = session;
  }

  /** Saved before the first request: messages from now on are backfilled, even if this process ends now. */
  #saveFirst(): Promise<void> {
    this.watermark = new Watermark(0, msToSnowflake(this.#deps.now() - 1));
    return this.save();
  }

  /** The session to resume, if there is one. */
  session(): Session | undefined {
    return this.#session && { ...this.#session, sequence: this.watermark.handled };
  }

  dropSession(): void {
    this.#session = undefined;
  }

  /** Records that a session has started, with this sequence number. */
  startSession(sequence: number, ready: RawReady): void {
    const { gatewayUrl } = this.#deps;
    const { seen } = this.watermark;
    // Before the first session there is nothing to backfill: earlier messages were not for this bot.
    this.backfillAfter = this.botId === '' ? seen : msToSnowflake(snowflakeToMs(seen) - ID_ORDER_MARGIN_MS);
    this.watermark = new Watermark(sequence - 1, seen);
    this.botId = ready.user.id;
    const { session_id: id, resume_gateway_url: url } = ready;
    this.#session = { id, resumeUrl: isWebSocketUrl(url) ? url : gatewayUrl };
  }

  addDirectChannel(channel: string): void {
    if (this.directChannels[0] === channel) return;
    this.directChannels = [channel, ...this.directChannels.filter((one) => one !== channel)].slice(
      0,
      MAX_DIRECT_CHANNELS,
    );
  }

  /** Saves one at a time, to keep the order. Never rejects: the next save includes what failed. */
  save(): Promise<void> {
    return this.#queue.run(() => this.#write());
  }

  /** Saves the guilds first, so that no guild of a handled event is lost. */
  async #write(): Promise<void> {
    const { checkpointStore, guildStore, log } = this.#deps;
    const [checkpoint, guilds] = [JSON.stringify(this.#toCheckpoint()), this.#guilds.serialize()];
    try {
      if (guilds !== this.#saved.guilds) await guildStore.save(guilds);
      if (checkpoint !== this.#saved.checkpoint) await checkpointStore.save(checkpoint);
      this.#saved = { checkpoint, guilds };
    } catch (error) {
      log.warn('gateway.save-failed', getErrorFacts(error));
    }
  }

  #toCheckpoint(): Checkpoint {
    const { botId, backfillAfter, directChannels, watermark } = this;
    return {
      me: botId,
      session: this.session(),
      seen: watermark.seen,
      gap: backfillAfter,
      directs: [...directChannels],
    };
  }
}
