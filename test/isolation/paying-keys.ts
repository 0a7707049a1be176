/** How long a process caches a key, and requests in progress continue with it (ms). */
const CACHE_TTL_MS = 180_000;

/** `isCertain`: the key was stored, if the operation is correct. */
type Since = { readonly from: number; readonly key: string | undefined; readonly isCertain: boolean };

/** The key that pays: that of the tenant while it has one, otherwise that of the deployment. */
export class PayingKeys {
  readonly #keys = new Map<string, Since[]>();
  readonly #withoutApp = new Set<string>();

  /**
   * From now on the tenant may have this key, or none. In a workspace without the app nothing tells who is an administrator: there the
   * key may not be stored.
   */
  set(tenant: string, key: string | undefined, now: number): void {
    const isCertain = !this.#withoutApp.has(tenant);
    this.#keys.set(tenant, [...(this.#keys.get(tenant) ?? []), { from: now, key, isCertain }]);
  }

  /** The workspace removes the app, and the key with it. */
  removeApp(tenant: string, now: number): void {
    this.set(tenant, undefined, now);
    this.#withoutApp.add(tenant);
  }

  /** The workspace installs the app. */
  installApp(tenant: string): void {
    this.#withoutApp.delete(tenant);
  }

  mayPay(tenant: string, key: string, now: number, deployments: string): boolean {
    const entries = this.#keys.get(tenant) ?? [];
    // Of keys that are set at the same time, either may be stored last.
    const end = ({ from }: Since): number => entries.find((later) => later.from > from)?.from ?? Infinity;
    const isTheirs = entries.some((one) => one.key === key && end(one) + CACHE_TTL_MS > now);
    if (isTheirs) return true;
    const last = entries.at(-1);
    // A recent change may not be known in all processes yet.
    const isUnknown = last === undefined || !last.isCertain || last.from + CACHE_TTL_MS > now;
    return key === deployments && (isUnknown || last.key === undefined);
  }
}
