import {
  DefaultWebSocketManagerOptions as DEFAULTS,
  type FetchingStrategyOptions,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardDestroyRecovery,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { isAddress } from './sessions/checkpoint.ts';
import { resumeAt } from './sessions/resume-address.ts';
import { FATAL } from './profile.ts';

/** A dispatch of the gateway. */
export type Dispatch = { readonly t: string; readonly s: number; readonly d: unknown };

/** A session that can be resumed, from behind what was handed over. */
export type Session = { readonly id: string; readonly resumeUrl: string; readonly sequence: number };

export type ConnectionDeps = {
  readonly token: string;
  /** Which shard, of how many. */
  readonly shard: { readonly id: number; readonly count: number };
  readonly intents: number;
  /** Where a session begins. */
  readonly gatewayUrl: string;
  /** The session to resume, if there is one. Asked anew whenever it is needed. */
  readonly session: () => Session | undefined;
  /** A new session begins: its READY is about to be dispatched, perhaps behind events that follow it. */
  readonly began: () => void;
  /** The session is worth nothing any more. */
  readonly lost: () => void;
  /** A session goes on where it was left, and all that was missed has been dispatched. */
  readonly resumed: () => void;
  /** A connection stands. What it dispatches next follows on what `session` said last. */
  readonly opened: () => void;
  /** Resolves when a new session may be begun. Never rejects. */
  readonly mayIdentify: () => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly dispatch: (dispatch: Dispatch) => void;
  /** A heartbeat was acknowledged, or the session goes on. */
  readonly alive: () => void;
  /** Discord closed the connection in a way that connecting again does not mend. */
  readonly fatal: (code: number) => void;
  readonly log: (event: string, facts?: Readonly<Record<string, string | number>>) => void;
};

/** The waits before connecting again: doubled with each failure. */
const BACKOFF = { firstMs: 250, mostMs: 30_000 } as const;
/** A session ends with 1000 and 1001 alone: any other code leaves it to be resumed. */
const LEAVE = 4_200;
/** Failures after which a session is resumed elsewhere than where Discord said. */
const ELSEWHERE_AFTER = 4;

/**
 * One connection to the gateway, kept by `@discordjs/ws`: heartbeats, resuming, reconnecting. What is added here: a session
 * outlives the process and failures of the network, counts as seen only what was handed over, and a new one is begun only with
 * leave.
 */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #shard: WebSocketShard;
  #failures = 0;
  #closedBy = 0;
  #left = false;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#shard = new WebSocketShard(
      {
        options: optionsOf(deps),
        retrieveSessionInfo: () => this.#retrieve(),
        updateSessionInfo: (_, session) => this.#update(session),
        waitForIdentify: () => Promise.resolve(),
      },
      deps.shard.id,
    );
    this.#listen();
  }

  /** Connects, and stays connected until the process ends or Discord refuses for good. */
  open(): void {
    // What it rejects with is told by the events too.
    this.#shard.connect().catch(() => undefined);
  }

  /** Ends the connection and leaves the session to whoever resumes it. Nothing is dispatched any more. */
  async leave(): Promise<void> {
    this.#left = true;
    // The library drops its error handler from a socket that is still opening: an error of that socket would end the process.
    if (this.#shard.status === WebSocketShardStatus.Connecting) await this.#opened();
    await this.#shard.destroy({ code: LEAVE, reason: 'Somebody else goes on with this session' });
  }

  /** Comes back at once to what was handed over: everything behind it is sent again. */
  rewind(): void {
    void this.#shard.destroy({
      recover: WebSocketShardDestroyRecovery.Resume,
      reason: 'Too much is waiting',
    });
  }

  /** Resolves when the connection that is being opened stands, or has failed. */
  #opened(): Promise<void> {
    return new Promise((resolve) => {
      this.#shard.once(WebSocketShardEvents.Hello, () => resolve());
      this.#shard.once(WebSocketShardEvents.Closed, () => resolve());
    });
  }

  #listen(): void {
    const { dispatch, opened, alive, fatal, log } = this.#deps;
    const shard = this.#shard;
    // Each failed attempt leaves a listener behind until the next HELLO.
    shard.setMaxListeners(0);
    shard.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (!this.#left) dispatch({ t: data.t, s: data.s, d: data.d });
    });
    shard.on(WebSocketShardEvents.HeartbeatComplete, alive);
    shard.on(WebSocketShardEvents.Hello, () => {
      this.#closedBy = 0;
      opened();
    });
    shard.on(WebSocketShardEvents.Ready, () => this.#live('ready'));
    shard.on(WebSocketShardEvents.Resumed, () => {
      this.#live('resumed');
      this.#deps.resumed();
    });
    shard.on(WebSocketShardEvents.Closed, ({ code }) => {
      this.#closedBy = code;
      this.#failures += 1;
      log('gateway.closed', { code, shard: this.#deps.shard.id });
      if (FATAL.has(code) && !this.#left) fatal(code);
    });
    shard.on(WebSocketShardEvents.Error, ({ error }) =>
      log('gateway.connection-error', { error: error.name }),
    );
  }

  #live(kind: string): void {
    this.#failures = 0;
    this.#deps.alive();
    const { id: shard, count: shards } = this.#deps.shard;
    this.#deps.log('gateway.connected', { kind, shard, shards });
  }

  /** Asked before connecting, and with every heartbeat and event then. */
  #retrieve(): SessionInfo | null | Promise<SessionInfo | null> {
    return this.#shard.status === WebSocketShardStatus.Idle ? this.#prepare() : this.#info();
  }

  async #prepare(): Promise<SessionInfo | null> {
    const { session, mayIdentify, sleep, random } = this.#deps;
    if (this.#failures > 0) {
      const most = Math.min(BACKOFF.mostMs, BACKOFF.firstMs * 2 ** this.#failures);
      await sleep(most * (0.5 + random() / 2));
    }
    if (!session()) await mayIdentify();
    // The library knows no way to give up before it has connected.
    return this.#left ? new Promise(() => undefined) : this.#info();
  }

  #info(): SessionInfo | null {
    const session = this.#deps.session();
    if (!session) return null;
    const elsewhere = this.#failures >= ELSEWHERE_AFTER;
    return {
      sessionId: session.id,
      // A session goes on from READY at the earliest.
      sequence: Math.max(1, session.sequence),
      resumeURL: elsewhere ? this.#deps.gatewayUrl : resumeAt(session.resumeUrl, this.#deps.gatewayUrl),
      shardId: this.#deps.shard.id,
      shardCount: this.#deps.shard.count,
    };
  }

  /** The library counts what it has received; here only what was handed over counts, which `session` knows. */
  #update(session: SessionInfo | null): void {
    if (this.#left) return;
    if (session) {
      if (session.sessionId !== this.#deps.session()?.id) this.#deps.began();
    } else if (this.#closedBy !== 1006) {
      // A connection that broke says nothing of the session, which the library would drop when it cannot connect.
      this.#deps.lost();
    }
  }
}

function optionsOf({ token, intents, gatewayUrl, shard }: ConnectionDeps): FetchingStrategyOptions {
  const { buildIdentifyThrottler: _, retrieveSessionInfo: _r, updateSessionInfo: _u, ...rest } = DEFAULTS;
  const url = isAddress(gatewayUrl) ? gatewayUrl : 'wss://gateway.discord.gg';
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
