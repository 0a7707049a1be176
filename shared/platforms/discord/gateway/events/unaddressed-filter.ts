/** How long a result is fresh, and how many channels are cached. */
const CACHE_TTL_MS = 10_000;
const MAX_CHANNELS = 20_000;
/**
 * An expired result is used for this long while a new one is read. Together with `CACHE_TTL_MS`, the time
 * until a changed setting takes effect.
 */
const MAX_STALE_MS = 20_000;

/**
 * Whether unaddressed messages of a channel may concern the bot, according to its settings. Most messages
 * are unaddressed and are dropped without being stored, so the decision is synchronous and uses the last
 * known result. Until a result is known, they may concern it.
 */
export class UnaddressedFilter {
  /** Not a `TtlCache`: `mayConcern` cannot wait, so it uses an expired value while a new one is read. */
  readonly #known = new Map<string, { readonly concerns: boolean; readonly until: number }>();
  readonly #fetch: (guild: string, channel: string) => Promise<boolean>;
  readonly #now: () => number;

  constructor(ask: (guild: string, channel: string) => Promise<boolean>, now: () => number) {
    this.#fetch = ask;
    this.#now = now;
  }

  mayConcern(guild: string, channel: string): boolean {
    const known = this.#known.get(channel);
    // An older result is not used: another process may have changed the setting.
    const concerns = known && known.until + MAX_STALE_MS > this.#now() ? known.concerns : true;
    if (!known || known.until <= this.#now()) void this.#refresh(guild, channel, concerns);
    return concerns;
  }

  /** Reads the setting, one request at a time. If that fails, the messages may concern the bot. */
  async #refresh(guild: string, channel: string, wasConcerned: boolean): Promise<void> {
    this.#store(channel, wasConcerned);
    this.#store(channel, await this.#fetch(guild, channel).catch(() => true));
  }

  #store(channel: string, concerns: boolean): void {
    if (this.#known.size >= MAX_CHANNELS) this.#known.clear();
    this.#known.set(channel, { concerns, until: this.#now() + CACHE_TTL_MS });
  }
}
