import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { type Desk, GatewayConnection } from './gateway-connection.ts';
import { disallowed, type GatewayEvent, INTENT } from './gateway-intents.ts';
import { GatewaySession, isOn, type Shard } from './gateway-session.ts';
import type { GatewaySource } from './gateway-source.ts';

export { type GatewaySource, sourceOf } from './gateway-source.ts';

export type GatewayOptions = {
  readonly host?: string;
  readonly port?: number;
  /** Discord's is 41,250. */
  readonly heartbeatMs?: number;
  /** How much later than that a heartbeat may be before the connection is closed (4009). */
  readonly heartbeatGraceMs?: number;
  /** How long a session waits to be resumed. */
  readonly resumeMs?: number;
  /** Between two IDENTIFYs of shards with the same remainder by max_concurrency; Discord's is 5,000. */
  readonly identifyMs?: number;
  /** The maximum number of guilds in one session; Discord's is 2,500. */
  readonly maxGuilds?: number;
  readonly now?: () => number;
};

/**
 * Discord's gateway for real clients. Sessions outlive connections and are resumed with all missed events; an app
 * that starts more than its budget loses its token, as in Discord.
 */
export class Gateway implements Desk {
  readonly source: GatewaySource;
  readonly heartbeatMs: number;
  readonly heartbeatGraceMs: number;
  readonly now: () => number;
  /** Set by the test: no heartbeat is acknowledged. */
  muted = false;
  /** Set by the test: every IDENTIFY gets this close code. */
  refusal: number | undefined;
  /** Set by the test: guilds in an outage. A new session gets them without content, and nothing is sent of them. */
  readonly outages = new Set<string>();
  /** The counts of client payloads so far. */
  readonly counts = { connections: 0, identifies: 0, resumes: 0, resumed: 0, heartbeats: 0 };
  /** The token is revoked: too many sessions were started. */
  tokenReset = false;
  url = '';
  readonly #resumeMs: number;
  readonly #identifyMs: number;
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #connections = new Set<GatewayConnection>();
  readonly #http = createServer((_, response) => response.writeHead(426).end());
  readonly #tell = (event: GatewayEvent): void => {
    if (this.outages.has(event.guildId ?? '')) return;
    for (const session of this.#sessions.values()) session.tell(event);
  };
  readonly #identifiedAt = new Map<number, number>();
  readonly #maxGuilds: number;

  constructor(source: GatewaySource, options: GatewayOptions = {}) {
    const { heartbeatMs = 41_250, resumeMs = 120_000, identifyMs = 5_000, maxGuilds = 2_500 } = options;
    const { now = Date.now, heartbeatGraceMs = 10_000 } = options;
    this.source = source;
    this.heartbeatMs = heartbeatMs;
    this.heartbeatGraceMs = heartbeatGraceMs;
    this.now = now;
    this.#resumeMs = resumeMs;
    this.#identifyMs = identifyMs;
    this.#maxGuilds = maxGuilds;
  }

  /** Listens, on loopback by default. Resolves with the URL for clients. */
  async listen({
    host = '127.0.0.1',
    port = 0,
  }: Pick<GatewayOptions, 'host' | 'port'> = {}): Promise<string> {
    this.#http.listen(port, host);
    await once(this.#http, 'listening');
    // The maximum frame size of ws; Discord's limit of 4,096 bytes is checked where payloads are parsed.
    const sockets = new WebSocketServer({ server: this.#http, maxPayload: 65_536 });
    sockets.on('connection', (socket, request) => {
      this.counts.connections += 1;
      const connection = new GatewayConnection(this, socket, request.url ?? '');
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    });
    const address = this.#http.address();
    if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
    this.url = `ws://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
    this.source.onDispatch.add(this.#tell);
    return this.url;
  }

  /** Ends all connections and forgets all sessions. */
  async close(): Promise<void> {
    this.source.onDispatch.delete(this.#tell);
    this.drop();
    this.#http.close();
    this.#http.closeAllConnections();
    if (this.#http.listening) await once(this.#http, 'close');
  }

  identify(token: unknown, intents: number, shard: Shard): GatewaySession | number | 'again' {
    this.counts.identifies += 1;
    if (this.refusal !== undefined) return this.refusal;
    if (this.tokenReset || token !== this.source.botToken) return 4004;
    if (disallowed(intents, this.source.messageContent() ? INTENT.messageContent : 0)) return 4014;
    const guilds = this.source.guilds().filter(({ guildId }) => isOn(shard, guildId));
    if (guilds.length > this.#maxGuilds) return 4011;
    const key = shard[0] % (this.source.budget.maxConcurrency ?? 1);
    if (this.now() - (this.#identifiedAt.get(key) ?? Number.NEGATIVE_INFINITY) < this.#identifyMs)
      return 'again';
    this.#identifiedAt.set(key, this.now());
    if (this.source.budget.remaining <= 0) {
      this.tokenReset = true;
      this.forget();
      this.closeAll(4004);
      return 4004;
    }
    this.source.budget.remaining -= 1;
    const session = new GatewaySession(randomBytes(16).toString('hex'), intents, shard);
    this.#sessions.set(session.id, session);
    return session;
  }

  resumable(token: unknown, id: unknown): GatewaySession | undefined {
    this.counts.resumes += 1;
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (!session || token !== this.source.botToken) return undefined;
    if (session.idleSince !== undefined && this.now() - session.idleSince > this.#resumeMs) {
      this.end(session);
      return undefined;
    }
    return session;
  }

  end(session: GatewaySession): void {
    this.#sessions.delete(session.id);
  }

  /** The number of connections with a session. */
  get connected(): number {
    return [...this.#connections].filter(({ live }) => live).length;
  }

  /** The connected shards as `id/count`, sorted, without duplicates. */
  get shards(): string[] {
    const connected = [...this.#sessions.values()].filter(({ send }) => send !== undefined);
    return [...new Set(connected.map(({ shard }) => shard.join('/')))].toSorted();
  }

  /** Asks every app to reconnect (op 7). */
  reconnect(): void {
    for (const connection of this.#connections) connection.send({ op: 7, d: null });
  }

  /** Invalidates every session (op 9). */
  invalidate(resumable: boolean): void {
    if (!resumable) this.forget();
    for (const connection of this.#connections) connection.send({ op: 9, d: resumable });
  }

  /** Ends every connection without a close code. */
  drop(): void {
    for (const connection of this.#connections) connection.terminate();
  }

  closeAll(code: number): void {
    for (const connection of this.#connections) connection.close(code);
  }

  /** A guild is available again: docs:events/gateway-events#guild-create. */
  endOutage(guild: string): void {
    this.outages.delete(guild);
    for (const event of this.source.guilds()) if (event.guildId === guild) this.#tell(event);
  }

  /** Sessions can no longer be resumed. */
  forget(): void {
    this.#sessions.clear();
  }
}

export async function startGateway(source: GatewaySource, options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = new Gateway(source, options);
  await gateway.listen(options);
  return gateway;
}
