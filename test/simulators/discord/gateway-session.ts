import { asSeenBy, type GatewayEvent } from './gateway-intents.ts';

/** One payload of the gateway. */
export type Payload = {
  readonly op: number;
  readonly d: unknown;
  readonly s?: number;
  readonly t?: string;
};

/** What an app has with the gateway after IDENTIFY; it outlives its connections. */
export class GatewaySession {
  readonly id: string;
  readonly intents: number;
  /** Where payloads go; undefined while nobody is connected. */
  send: ((payload: Payload) => void) | undefined;
  /** Since when nobody is connected (ms since 1970). */
  idleSince: number | undefined;
  #sequence = 0;
  readonly #sent: Payload[] = [];

  constructor(id: string, intents: number) {
    this.id = id;
    this.intents = intents;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Tells the app, now or when it resumes. */
  tell(event: GatewayEvent): void {
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
