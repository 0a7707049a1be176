import * as v from 'valibot';
import type { RawData, WebSocket } from 'ws';
import { compressedOne, compressedStream, plain, type Sender } from './gateway-encoding.ts';
import { isKnown } from './gateway-intents.ts';
import { type GatewaySession, isOn, type Payload, type Shard } from './gateway-session.ts';
import type { GatewaySource } from './gateway-source.ts';

const frame = v.object({ op: v.number(), d: v.optional(v.unknown()) });
const identify = v.object({
  token: v.string(),
  intents: v.number(),
  compress: v.optional(v.boolean()),
  shard: v.optional(v.tuple([v.number(), v.number()])),
  properties: v.object({ os: v.string(), browser: v.string(), device: v.string() }),
});
const resume = v.object({ token: v.string(), session_id: v.string(), seq: v.number() });

/** The maximum number of payloads of an app per minute, and their maximum size in bytes. */
const SENDS = { most: 120, ms: 60_000, bytes: 4_096 } as const;

/** The interface of a connection to its gateway. */
export interface Desk {
  readonly source: GatewaySource;
  readonly heartbeatMs: number;
  /** How late a heartbeat may be. */
  readonly heartbeatGraceMs: number;
  readonly muted: boolean;
  /** The guilds in an outage. */
  readonly outages: ReadonlySet<string>;
  readonly url: string;
  readonly counts: { resumed: number; heartbeats: number };
  readonly now: () => number;
  /** Starts a session, or returns the close code of its refusal; `again`: too soon after the last (op 9). */
  identify(token: unknown, intents: number, shard: Shard): GatewaySession | number | 'again';
  /** The session, if it can still be resumed. */
  resumable(token: unknown, id: unknown): GatewaySession | undefined;
  end(session: GatewaySession): void;
}

/** One connection of an app, from HELLO to its end. */
export class GatewayConnection {
  readonly #gateway: Desk;
  readonly #socket: WebSocket;
  #send: Sender;
  #session: GatewaySession | undefined;
  #sends: number[] = [];
  #heartbeatTimer: NodeJS.Timeout | undefined;
  readonly #streamed: boolean;

  constructor(gateway: Desk, socket: WebSocket, path: string) {
    this.#gateway = gateway;
    this.#socket = socket;
    const params = new URL(path, 'ws://gateway').searchParams;
    this.#streamed = params.get('compress') === 'zlib-stream';
    this.#send = this.#streamed ? compressedStream(socket) : plain(socket);
    socket.on('message', (raw) => this.#receive(raw));
    socket.on('close', (code) => this.#ended(code));
    socket.on('error', () => socket.terminate());
    if (params.get('v') !== '10') socket.close(4012, 'Invalid API version');
    else if (params.get('encoding') !== 'json') socket.close(4002, 'Only JSON is simulated');
    else this.send({ op: 10, d: { heartbeat_interval: gateway.heartbeatMs, _trace: [] } });
    this.#expectHeartbeat();
  }

  /** Ends the session of a client that sends no heartbeat: docs:topics/opcodes-and-status-codes, 4009. How late it may be is a guess. */
  #expectHeartbeat(): void {
    clearTimeout(this.#heartbeatTimer);
    const { heartbeatMs, heartbeatGraceMs } = this.#gateway;
    this.#heartbeatTimer = setTimeout(() => {
      if (this.#session) this.#gateway.end(this.#session);
      this.close(4009);
    }, heartbeatMs + heartbeatGraceMs).unref();
  }

  /** Whether it has a session. */
  get live(): boolean {
    return this.#session !== undefined;
  }

  send(payload: Payload): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#send(payload);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  #receive(raw: RawData): void {
    const text = Buffer.isBuffer(raw) ? raw.toString('utf8') : '';
    const now = this.#gateway.now();
    this.#sends = [...this.#sends.filter((at) => now - at < SENDS.ms), now];
    if (this.#sends.length > SENDS.most) return this.close(4008);
    if (Buffer.byteLength(text) > SENDS.bytes) return this.close(4002);
    const read = v.safeParse(frame, parse(text));
    if (!read.success) return this.close(4002);
    const { op, d } = read.output;
    if (op === 1) return this.#beat();
    if (op === 2) return this.#identify(d);
    if (op === 6) return this.#resume(d);
    return this.close(this.#session ? (op === 3 || op === 4 || op === 8 ? 1000 : 4001) : 4003);
  }

  #beat(): void {
    this.#gateway.counts.heartbeats += 1;
    this.#expectHeartbeat();
    if (!this.#gateway.muted) this.send({ op: 11, d: null });
  }

  #identify(d: unknown): void {
    if (this.#session) return this.close(4005);
    const read = v.safeParse(identify, d);
    if (!read.success) return this.close(4002);
    const { token, intents, shard: [shard, shards] = [0, 1], compress } = read.output;
    if (shard < 0 || shard >= shards) return this.close(4010);
    if (!isKnown(intents)) return this.close(4013);
    const session = this.#gateway.identify(token, intents, [shard, shards]);
    if (session === 'again') return this.send({ op: 9, d: false });
    if (typeof session === 'number') return this.close(session);
    if (compress === true && !this.#streamed) this.#send = compressedOne(this.#socket);
    this.#take(session);
    const { source, url, outages } = this.#gateway;
    const guilds = source.guilds().filter(({ guildId }) => isOn(session.shard, guildId));
    session.dispatch('READY', {
      v: 10,
      user: source.user(),
      guilds: guilds.map(({ guildId }) => ({ id: guildId, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: url,
      shard: [shard, shards],
      application: { id: source.applicationId, flags: 0 },
    });
    for (const guild of guilds) {
      const { guildId: id = '' } = guild;
      session.tell(outages.has(id) ? { ...guild, d: { id, unavailable: true } } : guild);
    }
  }

  #resume(d: unknown): void {
    const read = v.safeParse(resume, d);
    if (!read.success) return this.close(4002);
    const session = this.#gateway.resumable(read.output.token, read.output.session_id);
    if (!session) return this.send({ op: 9, d: false });
    if (read.output.seq > session.sequence) {
      this.#gateway.end(session);
      return this.close(4007);
    }
    this.#take(session);
    session.replay(read.output.seq);
    this.#gateway.counts.resumed += 1;
    session.dispatch('RESUMED', { _trace: [] });
  }

  #take(session: GatewaySession): void {
    this.#session = session;
    session.idleSince = undefined;
    session.send = this.#deliver;
    // The earlier connection of the session loses it.
    if (session.holder !== this) session.holder?.close(4000);
    session.holder = this;
  }

  readonly #deliver = (payload: Payload): void => this.send(payload);

  /** A session ends with its connection only after a close code of the app (1000, 1001). */
  #ended(code: number): void {
    clearTimeout(this.#heartbeatTimer);
    const session = this.#session;
    if (session?.send !== this.#deliver) return;
    session.send = undefined;
    session.idleSince = this.#gateway.now();
    if (code === 1000 || code === 1001) this.#gateway.end(session);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
