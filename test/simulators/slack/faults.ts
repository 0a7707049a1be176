/** Something that goes wrong on purpose with calls of the Web API, or with `files.download`, the fetching of a file. */
export type Fault = {
  /** The method it hits; every method when absent. */
  readonly method?: string;
  /** How many calls it hits; one unless told. */
  readonly times?: number;
  /** How many calls pass before it hits. */
  readonly skip?: number;
} & (
  | { readonly kind: 'refuse'; readonly error: string }
  /** HTTP 429, to be repeated after so many seconds. */
  | { readonly kind: 'busy'; readonly retryAfter: number }
  /** Slack's own trouble: this HTTP status with a page of HTML; nothing takes effect. */
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
  hit(method: string): Fault | undefined;
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
    hit(method) {
      let found: Fault | undefined;
      for (const entry of faults) {
        if (entry.fault.method !== undefined && entry.fault.method !== method) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
        } else if (found === undefined) {
          found = entry.fault;
          entry.left -= 1;
          if (entry.left <= 0) faults.delete(entry);
        }
      }
      return found;
    },
  };
}
