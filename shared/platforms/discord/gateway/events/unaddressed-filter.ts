/** How long an answer counts, and how many channels are kept in mind. */
const CACHE_TTL_MS = 10_000;
const MAX = 20_000;
/** With `CACHE_TTL_MS` as long as a changed setting may take to hold. */
const STALE_MS = 20_000;

/**
 * Whether what is said to nobody may concern the bot in a channel, as people have set it. Most of what comes is such chatter, and is
 * to be let go without keeping anything: so it is told at once, by what was so a moment ago. Until that is known, it may.
 */
export class UnaddressedFilter {
  /** Not a `TtlCache`: `mayConcern` cannot wait, so it uses an expired value while a new one is read. */
  readonly #known = new Map<string, { readonly concerns: boolean; readonly until: number }>();
  readonly #ask: (guild: string, channel: string) => Promise<boolean>;
  readonly #now: () => number;

  constructor(ask: (guild: string, channel: string) => Promise<boolean>, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  mayConcern(guild: string, channel: string): boolean {
    const known = this.#known.get(channel);
    // What was so long ago says nothing: it may have been changed since, by somebody whom this process does not hear.
    const concerns = known && known.until + STALE_MS > this.#now() ? known.concerns : true;
    if (!known || known.until <= this.#now()) void this.#look(guild, channel, concerns);
    return concerns;
  }

  /** Asked once at a time; where nobody can say, it may. */
  async #look(guild: string, channel: string, before: boolean): Promise<void> {
    this.#keep(channel, before);
    this.#keep(channel, await this.#ask(guild, channel).catch(() => true));
  }

  #keep(channel: string, concerns: boolean): void {
    if (this.#known.size >= MAX) this.#known.clear();
    this.#known.set(channel, { concerns, until: this.#now() + CACHE_TTL_MS });
  }
}
