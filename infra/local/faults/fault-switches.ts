import type { FaultPanel, FaultState } from '../../dashboard/index.ts';

/** A fault of the local system. */
export type Fault = {
  readonly name: string;
  readonly title: string;
  /** What people will notice. */
  readonly effect: string;
  /** Why it is impossible here; undefined if it is possible. */
  readonly unavailable: string | undefined;
  /** Makes it happen from now on. Returns a function that ends it. */
  readonly begin: () => () => void;
};

export type FaultSwitchesOptions = {
  readonly faults: readonly Fault[];
  /** ms since 1970. */
  readonly now: () => number;
  /** Calls the function once after the given time (ms). Returns a function that cancels it. */
  readonly after: (ms: number, action: () => void) => () => void;
  /** Called when a fault begins or ends, with all faults. */
  readonly onChange: (fault: Fault, isOn: boolean, states: readonly FaultState[]) => void;
};

type ActiveFault = { readonly until: number; readonly end: () => void; readonly cancel: () => void };

/** Switches faults on for a time, and off. `stopAll` ends all of them. */
export function createFaultSwitches(options: FaultSwitchesOptions): FaultPanel & { stopAll(): void } {
  const { faults, now, after, onChange } = options;
  const active = new Map<string, ActiveFault>();
  const find = (name: string): Fault | undefined => faults.find((fault) => fault.name === name);
  const list = (): readonly FaultState[] =>
    faults.map(({ name, title, effect, unavailable }) => {
      return { name, title, effect, unavailable, until: active.get(name)?.until };
    });
  const stop = (name: string): boolean => {
    const fault = find(name);
    const running = active.get(name);
    if (fault && running) {
      active.delete(name);
      running.cancel();
      running.end();
      onChange(fault, false, list());
    }
    return fault !== undefined;
  };
  const start = (name: string, durationMs: number): boolean => {
    const fault = find(name);
    if (!fault || fault.unavailable !== undefined) return false;
    const running = active.get(name);
    running?.cancel();
    const end = running?.end ?? fault.begin();
    const cancel = after(durationMs, () => void stop(name));
    active.set(name, { until: now() + durationMs, end, cancel });
    if (!running) onChange(fault, true, list());
    return true;
  };
  const stopAll = (): void => {
    for (const { name } of faults) stop(name);
  };
  return { list, start, stop, stopAll };
}
