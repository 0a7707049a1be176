import { catchUp } from './catch-up.ts';
import { readOld } from './events.ts';
import type { HandOver } from './hand-over.ts';
import { patienceFor, patiently } from './patiently.ts';
import type { RawMessage } from './raw.ts';
import type { RelayDeps } from './relay-deps.ts';
import type { Me } from './said.ts';
import type { Places } from './places.ts';

export type GapsDeps = {
  readonly relay: RelayDeps;
  readonly places: Places;
  readonly me: () => Me;
  readonly handOver: HandOver;
};

/** What was written while nobody was told: read before what is told of the same guild now is handed over. */
export class Gaps {
  readonly #deps: GapsDeps;
  /** By guild; '' stands for DMs. */
  readonly #closing = new Map<string, Promise<void>>();
  /** One guild after the other, so that Discord is not asked for everything at once. */
  #last = Promise.resolve();

  constructor(deps: GapsDeps) {
    this.#deps = deps;
  }

  /** Resolves when a guild has caught up. Never rejects. */
  async closed(guild: string | undefined): Promise<void> {
    await this.#closing.get(guild ?? '');
  }

  /** Catches up on these channels, from behind this message on. Never rejects. */
  close(guild: string | undefined, channels: readonly string[], since: string): Promise<void> {
    const { relay, places, me, handOver } = this.#deps;
    const messages = (channel: string, after: string, limit: number): Promise<unknown> =>
      patiently(() => relay.reads.messages(channel, after, limit), patienceFor('messages', relay));
    const take = (message: RawMessage): Promise<void> => handOver(readOld(message, guild, me(), places));
    this.#last = this.#last.then(() =>
      catchUp(channels, since, { now: relay.now, messages, take, log: relay.log.warn }),
    );
    this.#closing.set(guild ?? '', this.#last);
    return this.#last;
  }
}
