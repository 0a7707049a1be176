/** A fault that can be switched on for a time. */
export type FaultState = {
  readonly name: string;
  readonly title: string;
  /** What people will notice. */
  readonly effect: string;
  /** Why it cannot be switched on here; undefined if it can. */
  readonly unavailable: string | undefined;
  /** When it ends by itself (ms since 1970); undefined while it is off. */
  readonly until: number | undefined;
};

/** The faults of a running system. All are off after a restart. */
export type FaultPanel = {
  list(): readonly FaultState[];
  /** Switches a fault on, or extends it. Returns false if there is no such fault, or if it is unavailable. */
  start(name: string, durationMs: number): boolean;
  /** Switches it off. Returns false if there is no such fault. */
  stop(name: string): boolean;
};
