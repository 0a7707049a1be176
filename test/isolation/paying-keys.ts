/** How long a process caches a key, and requests in progress continue with it (ms). */
const CACHE_TTL_MS = 180_000;

type Since = { readonly from: number; readonly key: string | undefined };

/** The key that pays: that of the tenant while it has one, otherwise that of the deployment. */
export class PayingKeys {
  readonly #keys = new Map<string, Since[]>();

  /** From now on the tenant may have this key, or none. Another check tells whether it was stored. */
  set(tenant: string, key: string | undefined, now: number): void {
    this.#keys.set(tenant, [...(this.#keys.get(tenant) ?? []), { from: now, key }]);
  }

  mayPay(tenant: string, key: string, now: number, deployments: string): boolean {
    const held = this.#keys.get(tenant) ?? [];
    // Of keys that are set at the same time, either may be stored last.
    const end = ({ from }: Since): number => held.find((later) => later.from > from)?.from ?? Infinity;
    const isTheirs = held.some((one) => one.key === key && end(one) + CACHE_TTL_MS > now);
    if (isTheirs) return true;
    const last = held.at(-1);
    // A recent change may not be known in all processes yet.
    return key === deployments && (last?.key === undefined || last.from + CACHE_TTL_MS > now);
  }
}
