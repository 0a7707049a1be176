/** The repetition of an injected fault. */
export type Counted = {
  /** The number of affected requests; 1 by default. */
  readonly times?: number;
  /** The number of requests that pass before. */
  readonly skip?: number;
};

export type Faults<Fault extends Counted> = {
  /** Returns a function that removes the fault. */
  add(fault: Fault): () => void;
  clear(): void;
  /** The fault of this request, if any; counts the request. */
  hit(call: string): Fault | undefined;
};

/**
 * Injected faults that wait for requests. `names` selects the affected requests of a fault; every request without a
 * name.
 */
export function createFaults<Fault extends Counted>(
  names: (fault: Fault) => string | undefined,
): Faults<Fault> {
  const faults = new Set<{ fault: Fault; skip: number; left: number }>();
  return {
    add(fault) {
      const entry = { fault, skip: fault.skip ?? 0, left: fault.times ?? 1 };
      faults.add(entry);
      return () => void faults.delete(entry);
    },
    clear: () => faults.clear(),
    hit(call) {
      let fault: Fault | undefined;
      for (const entry of faults) {
        if ((names(entry.fault) ?? call) !== call) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
        } else if (fault === undefined) {
          fault = entry.fault;
          entry.left -= 1;
          if (entry.left <= 0) faults.delete(entry);
        }
      }
      return fault;
    },
  };
}
