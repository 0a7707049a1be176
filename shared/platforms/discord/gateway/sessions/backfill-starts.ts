import { msToSnowflake } from '../../../../utils/index.ts';

/** Events of the last moments before an outage may be lost with it. */
const OUTAGE_MARGIN_MS = 60_000;

/**
 * After which message the GUILD_CREATEs of a session backfill: the first of each guild after the gap before the session, a later one only after the outage
 * that it ends. So a guild whose servers fail for a moment is not read from the start of the session again.
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

  /** The id after which a guild that is available now is backfilled; undefined if nothing was missed there. `gap`: the id at the start of the gap before the session. */
  take(guild: string, gap: string | undefined): string | undefined {
    const outage = this.#outages.get(guild);
    this.#outages.delete(guild);
    if (this.#created.has(guild)) return outage;
    this.#created.add(guild);
    return gap;
  }
}
