import { asSeenBy, type GatewayEvent } from './gateway-intents.ts';

/** One payload of the gateway. */
export type Payload = {
  readonly op: number;
  readonly d: unknown;
  readonly s?: number;
  readonly t?: string;
};

/** A shard by its number, from 0 on, and how many there are. */
export type Shard = readonly [id: number, count: number];

/** Whether a shard is told of a guild; of what is in none the first alone (docs:events/gateway#sharding). */
export const isOn = ([id, count]: Shard, guild: string | undefined): boolean =>
  id === (guild === undefined ? 0 : Number((BigInt(guild) >> 22n) % BigInt(count)));

/** What an app has with the gateway after IDENTIFY; it outlives its connections. */
export class GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: Shard;
  /** Where payloads go; undefined while nobody is connected. */
  send: ((payload: Payload) => void) | undefined;
  /** The connection that has it, or had it last. */
  holder: { close(code: number): void } | undefined;
  /** Since when nobody is connected (ms since 1970). */
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

  /** Tells the app, now or when it resumes. */
  tell(event: GatewayEvent): void {
    if (!isOn(this.shard, event.guildId)) return;
    const seen = asSeenBy(event, this.intents);
    if (seen) this.dispatch(seen.t, seen.d);
  }

  dispatch(t: string, d: unknown): void {
    this.#sequence += 1;
    const payload = { op: 0, t, s: this.#sequence, d };
    this.#sent.push(payload);
    this.send?.(payload);
  }

  /** All that was sent after this sequence number, once more. */
  replay(after: number): void {
    for (const payload of this.#sent) if ((payload.s ?? 0) > after) this.send?.(payload);
  }
}
