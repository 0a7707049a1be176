/** Something that goes wrong on purpose with calls of the REST API, or with `GET /attachments`, the fetching of a file. */
export type Fault = {
  /** The route it hits, as the coverage table names it; every route when absent. */
  readonly route?: string;
  /** How many calls it hits; one unless told. */
  readonly times?: number;
  /** How many calls pass before it hits. */
  readonly skip?: number;
} &
  /** One of Discord's error codes; nothing takes effect. */
  (
    | { readonly kind: 'refuse'; readonly code: number }
    /** 429 as Discord itself sends it. */
    | { readonly kind: 'busy'; readonly retryAfter: number; readonly scope?: 'user' | 'shared' | 'global' }
    /** 429 as Cloudflare sends it: a page of HTML, no headers of Discord's. */
    | { readonly kind: 'cloudflare'; readonly retryAfter?: number }
    /** Discord's own trouble: this status, nothing takes effect. */
    | { readonly kind: 'status'; readonly status: number }
    /** The connection breaks before the call takes effect. */
    | { readonly kind: 'cut' }
    /** The call takes effect, then the connection breaks. */
    | { readonly kind: 'lose-reply' }
    /** The call takes effect after so many ms. */
    | { readonly kind: 'delay'; readonly ms: number }
    /** Sends the caller elsewhere, with status 302. */
    | { readonly kind: 'redirect'; readonly to: string }
  );

export type Faults = {
  /** The answer takes the fault away again. */
  add(fault: Fault): () => void;
  clear(): void;
  /** The fault that hits this call, if any; counts the call. */
  hit(route: string): Fault | undefined;
};

export function createFaults(): Faults {
  const faults = new Set<{ fault: Fault; skip: number; left: number }>();
  return {
    add(fault) {
      const entry = { fault, skip: fault.skip ?? 0, left: fault.times ?? 1 };
      faults.add(entry);
      return () => void faults.delete(entry);
    },
    clear: () => faults.clear(),
    hit(route) {
      for (const entry of faults) {
        if (entry.fault.route !== undefined && entry.fault.route !== route) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        entry.left -= 1;
        if (entry.left <= 0) faults.delete(entry);
        return entry.fault;
      }
      return undefined;
    },
  };
}
