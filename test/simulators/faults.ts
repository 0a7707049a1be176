/** How often something that goes wrong on purpose does. */
export type Counted = {
  /** How many calls it hits; one unless told. */
  readonly times?: number;
  /** How many calls pass before it hits. */
  readonly skip?: number;
};

export type Faults<Fault extends Counted> = {
  /** The answer takes the fault away again. */
  add(fault: Fault): () => void;
  clear(): void;
  /** The fault that hits this call, if any; counts the call. */
  hit(call: string): Fault | undefined;
};

/** Faults that wait for calls. `names` says which calls a fault hits; every call where it names none. */
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
      let found: Fault | undefined;
      for (const entry of faults) {
        if ((names(entry.fault) ?? call) !== call) continue;
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
