/** How long a process caches settings, and requests in progress continue with them (ms). */
const CACHE_TTL_MS = 60_000;

type Since = { readonly from: number; readonly entries: readonly string[] | undefined };

/** The sources of tools that administrators turned on, over time: what the setting `tools` contains at each level. */
export class EnabledTools {
  readonly #levels = new Map<string, Since[]>();

  /** From now on this level of the tenant has this list, or none. */
  note(tenant: string, level: string, of: string, entries: readonly string[] | undefined, now: number): void {
    const key = levelKey(tenant, level, of);
    this.#levels.set(key, [...(this.#levels.get(key) ?? []), { from: now, entries }]);
  }

  /** Whether a source may be on for a person in a channel: the list of the channel replaces that of the tenant. */
  mayUse(
    { tenant, channel, user }: { readonly tenant: string; readonly channel: string; readonly user: string },
    source: string,
    now: number,
  ): boolean {
    const ofTenant = this.#current(levelKey(tenant, 'workspace', ''), now);
    return this.#current(levelKey(tenant, 'channel', channel), now).some((entries) =>
      (entries === undefined ? ofTenant : [entries]).some((list) =>
        list?.some((entry) => entry === source || entry === `${source}@${user}`),
      ),
    );
  }

  /** Whether a source may be on for a person in any channel of the tenant. */
  mayUseSomewhere(
    { tenant, user }: { readonly tenant: string; readonly user: string },
    source: string,
    now: number,
  ): boolean {
    const prefix = levelKey(tenant, 'channel', '');
    const channels = [...this.#levels.keys()].filter((key) => key.startsWith(prefix));
    return ['', ...channels.map((key) => key.slice(prefix.length))].some((channel) =>
      this.mayUse({ tenant, channel, user }, source, now),
    );
  }

  /** The lists that a process may know at this time. */
  #current(key: string, now: number): readonly Since['entries'][] {
    const all = [{ from: -Infinity, entries: undefined }, ...(this.#levels.get(key) ?? [])];
    return all
      .filter((_, index) => (all[index + 1]?.from ?? Infinity) + CACHE_TTL_MS > now)
      .map(({ entries }) => entries);
  }
}

const levelKey = (tenant: string, level: string, of: string): string =>
  level === 'workspace' ? `${tenant} ${level}` : `${tenant} ${level} ${of}`;
