import { asSeenBy, type GatewayEvent } from './gateway-intents.ts';

/** One payload of the gateway. */
export type Payload = {
  readonly op: number;
  readonly d: unknown;
  readonly s?: number;
  readonly t?: string;
};

/** A shard by its number from 0 on, and the number of shards. */
export type Shard = readonly [id: number, count: number];

/**
 * Whether a shard receives the events of a guild; those without a guild go to the first
 * (docs:events/gateway#sharding).
 */
export const isOn = ([id, count]: Shard, guild: string | undefined): boolean =>
  id === (guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(count)));

/** The session of an app after IDENTIFY; it outlives its connections. */
export class GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: Shard;
  /** The receiver of payloads; undefined while disconnected. */
  send: ((payload: Payload) => void) | undefined;
  /** The current or last connection. */
  holder: { close(code: number): void } | undefined;
  /** Since when it is disconnected (ms since 1970). */
  idleSince: number | undefined;
  #sequence = 0;
  readonly #sent: Payload[] = [];

  constructor(id: string, intents: number, shard: Shard) {
    this.id = id;
    this.intents = intents;
    this.shard = shard;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Sends to the app, now or when it resumes. */
  tell(event: GatewayEvent): void {
    if (!isOn(this.shard, event.guildId)) return;
    const visibleEvent = asSeenBy(event, this.intents);
    if (visibleEvent) this.dispatch(visibleEvent.t, visibleEvent.d);
  }

  dispatch(t: string, d: unknown): void {
    this.#sequence += 1;
    const payload = { op: 0, t, s: this.#sequence, d };
    this.#sent.push(payload);
    this.send?.(payload);
  }

  /** Resends everything after this sequence number. */
  replay(after: number): void {
    for (const payload of this.#sent) if ((payload.s ?? 0) > after) this.send?.(payload);
  }
}
