import {
  DefaultWebSocketManagerOptions as DEFAULTS,
  type FetchingStrategyOptions,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardDestroyRecovery,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { isWebSocketUrl } from './sessions/checkpoint.ts';
import { resumeUrl } from './sessions/resume-address.ts';
import { FATAL_CLOSE_CODES } from './profile.ts';

/** A dispatch of the gateway. */
export type Dispatch = { readonly t: string; readonly s: number; readonly d: unknown };

/** A session that can be resumed after the last handled event. */
export type Session = { readonly id: string; readonly resumeUrl: string; readonly sequence: number };

export type ConnectionDeps = {
  readonly token: string;
  /** The shard id and the shard count. */
  readonly shard: { readonly id: number; readonly count: number };
  readonly intents: number;
  /** Where sessions start. */
  readonly gatewayUrl: string;
  /** Returns the session to resume, if there is one. */
  readonly session: () => Session | undefined;
  /** A new session starts. Its READY is dispatched next, possibly after later events of the session. */
  readonly onNewSession: () => void;
  /** The session cannot be resumed any more. */
  readonly onSessionLost: () => void;
  /** A session was resumed, and all missed events were dispatched. */
  readonly onResumed: () => void;
  /** A connection is open. Its next event follows the sequence number that `session` returned last. */
  readonly onOpen: () => void;
  /** Resolves when a new session may start. Never rejects. */
  readonly waitForIdentify: () => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly dispatch: (dispatch: Dispatch) => void;
  /** A heartbeat was acknowledged, or the session was started or resumed. */
  readonly onAlive: () => void;
  /** Discord closed the connection with a code after which a reconnect fails again. */
  readonly onFatalClose: (code: number) => void;
  readonly log: (event: string, facts?: Readonly<Record<string, string | number>>) => void;
};

/** The exponential backoff before a reconnect. It starts anew once a heartbeat was acknowledged: a proxy may let each session begin, and cut it at once. */
const BACKOFF = { firstMs: 250, maxMs: 30_000 } as const;
/** A close code of our own: the session can be resumed after every code except 1000 and 1001. */
const RESUMABLE_CLOSE_CODE = 4_200;
/** After this many failures, a session is resumed at the configured gateway instead of Discord's resume URL. */
const MAX_RESUME_URL_FAILURES = 4;

/**
 * One connection to the gateway. `@discordjs/ws` handles heartbeats, resumes and reconnects. This class adds: a session outlives the process
 * and network failures, only handled events count as received, and a new session starts only with a permit.
 */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #shard: WebSocketShard;
  #failures = 0;
  #closeCode = 0;
  #hasLeft = false;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#shard = new WebSocketShard(
      {
        options: toStrategyOptions(deps),
        retrieveSessionInfo: () => this.#retrieve(),
        updateSessionInfo: (_, session) => this.#update(session),
        waitForIdentify: () => Promise.resolve(),
      },
      deps.shard.id,
    );
    this.#listen();
  }

  /** Connects, and stays connected until the process ends or Discord refuses permanently. */
  open(): void {
    // Events report the failure too.
    this.#shard.connect().catch(() => undefined);
  }

  /** Closes the connection so that another process can resume the session. Dispatches nothing more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    // The library drops its error handler from a socket that is still opening: an error of that socket would end the process.
    if (this.#shard.status === WebSocketShardStatus.Connecting) await this.#untilOpenOrFailed();
    await this.#shard.destroy({ code: RESUMABLE_CLOSE_CODE, reason: 'Another process resumes this session' });
  }

  /** Reconnects at once and resumes after the last handled event: Discord sends all later ones again. */
  rewind(): void {
    this.#failures = 0;
    void this.#shard.destroy({
      recover: WebSocketShardDestroyRecovery.Resume,
      reason: 'Too many events are waiting',
    });
  }

  /** Resolves when the connection is open or has failed. */
  #untilOpenOrFailed(): Promise<void> {
    return new Promise((resolve) => {
      this.#shard.once(WebSocketShardEvents.Hello, () => resolve());
      this.#shard.once(WebSocketShardEvents.Closed, () => resolve());
    });
  }

  #listen(): void {
    const { dispatch, onOpen, onAlive, onFatalClose, log } = this.#deps;
    const shard = this.#shard;
    // Each failed attempt leaves a listener until the next HELLO.
    shard.setMaxListeners(0);
    shard.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (!this.#hasLeft) dispatch({ t: data.t, s: data.s, d: data.d });
    });
    shard.on(WebSocketShardEvents.HeartbeatComplete, () => {
      this.#failures = 0;
      onAlive();
    });
    shard.on(WebSocketShardEvents.Hello, () => {
      this.#closeCode = 0;
      onOpen();
    });
    shard.on(WebSocketShardEvents.Ready, () => this.#recordLive('ready'));
    shard.on(WebSocketShardEvents.Resumed, () => {
      this.#recordLive('resumed');
      this.#deps.onResumed();
    });
    shard.on(WebSocketShardEvents.Closed, ({ code }) => {
      this.#closeCode = code;
      this.#failures += 1;
      log('gateway.closed', { code, shard: this.#deps.shard.id });
      if (FATAL_CLOSE_CODES.has(code) && !this.#hasLeft) onFatalClose(code);
    });
    shard.on(WebSocketShardEvents.Error, ({ error }) =>
      log('gateway.connection-error', { error: error.name }),
    );
  }

  #recordLive(kind: string): void {
    this.#deps.onAlive();
    const { id: shard, count: shards } = this.#deps.shard;
    this.#deps.log('gateway.connected', { kind, shard, shards });
  }

  /** The library calls this before it connects, and then with every heartbeat and event. */
  #retrieve(): SessionInfo | null | Promise<SessionInfo | null> {
    return this.#shard.status === WebSocketShardStatus.Idle ? this.#prepare() : this.#sessionInfo();
  }

  async #prepare(): Promise<SessionInfo | null> {
    const { session, waitForIdentify, sleep, random } = this.#deps;
    if (this.#failures > 0) {
      const maxMs = Math.min(BACKOFF.maxMs, BACKOFF.firstMs * 2 ** this.#failures);
      await sleep(maxMs * (0.5 + random() / 2));
    }
    if (!session()) await waitForIdentify();
    // The library cannot be cancelled before it has connected.
    return this.#hasLeft ? new Promise(() => undefined) : this.#sessionInfo();
  }

  #sessionInfo(): SessionInfo | null {
    const session = this.#deps.session();
    if (!session) return null;
    const usesConfiguredUrl = this.#failures >= MAX_RESUME_URL_FAILURES;
    return {
      sessionId: session.id,
      // A session can be resumed after READY at the earliest.
      sequence: Math.max(1, session.sequence),
      resumeURL: usesConfiguredUrl
        ? this.#deps.gatewayUrl
        : resumeUrl(session.resumeUrl, this.#deps.gatewayUrl),
      shardId: this.#deps.shard.id,
      shardCount: this.#deps.shard.count,
    };
  }

  /** The library counts received events. Here only handled events count, and `session` returns their number. */
  #update(session: SessionInfo | null): void {
    if (this.#hasLeft) return;
    if (session) {
      if (session.sessionId !== this.#deps.session()?.id) this.#deps.onNewSession();
    } else if (this.#closeCode !== 1006) {
      // 1006: after a network failure the session is still valid, but the library would drop it.
      this.#deps.onSessionLost();
    }
  }
}

function toStrategyOptions({ token, intents, gatewayUrl, shard }: ConnectionDeps): FetchingStrategyOptions {
  const { buildIdentifyThrottler: _, retrieveSessionInfo: _r, updateSessionInfo: _u, ...rest } = DEFAULTS;
  const url = isWebSocketUrl(gatewayUrl) ? gatewayUrl : 'wss://gateway.discord.gg';
  return {
    ...rest,
    token,
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- a set of bits, which the library types as one of them
    intents,
    shardCount: shard.count,
    gatewayInformation: {
      url,
      shards: shard.count,
      session_start_limit: { total: 0, remaining: 0, reset_after: 0, max_concurrency: 1 },
    },
  };
}
