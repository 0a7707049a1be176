import { msToSnowflake } from '../../../../utils/index.ts';

/** Events of the last moments before an outage may be lost with it. */
const OUTAGE_MARGIN_MS = 60_000;

/**
 * Decides from which message on a guild is backfilled when GUILD_CREATE arrives. The first GUILD_CREATE of a guild in a session: from the end of the previous
 * session. A later one ends an outage of the guild: only from the start of that outage.
 */
export class BackfillStarts {
  readonly #created = new Set<string>();
  /** By guild. */
  readonly #outages = new Map<string, string>();

  startSession(): void {
    this.#created.clear();
    this.#outages.clear();
  }

  /** The guild is unavailable from this moment on (ms since 1970). */
  startOutage(guild: string, sinceMs: number): void {
    if (!this.#outages.has(guild)) this.#outages.set(guild, msToSnowflake(sinceMs - OUTAGE_MARGIN_MS));
  }

  /** The id after which a guild that is available now is backfilled; undefined if nothing was missed there. `gap`: the last message id before the session. */
  take(guild: string, gap: string | undefined): string | undefined {
    const outage = this.#outages.get(guild);
    this.#outages.delete(guild);
    if (this.#created.has(guild)) return outage;
    this.#created.add(guild);
    return gap;
  }
}
