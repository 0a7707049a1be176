/** How long a process goes by a key that it has read, and what is under way goes on by it (ms). */
const CACHE_TTL_MS = 180_000;

type Since = { readonly from: number; readonly key: string | undefined };

/** Whose key pays: that of the tenant from when it was set until it was removed, else the deployment's. */
export class PayingKeys {
  readonly #keys = new Map<string, Since[]>();

  /** The tenant may have this key from now on, or none. May: whether it was taken is for others to say. */
  set(tenant: string, key: string | undefined, now: number): void {
    this.#keys.set(tenant, [...(this.#keys.get(tenant) ?? []), { from: now, key }]);
  }

  mayPay(tenant: string, key: string, now: number, deployments: string): boolean {
    const held = this.#keys.get(tenant) ?? [];
    const ends = (index: number): number => held[index + 1]?.from ?? Infinity;
    const isTheirs = held.some((one, index) => one.key === key && ends(index) + CACHE_TTL_MS > now);
    if (isTheirs) return true;
    const last = held.at(-1);
    // What was set in the last minutes may not be known everywhere yet.
    return key === deployments && (last?.key === undefined || last.from + CACHE_TTL_MS > now);
  }
}
