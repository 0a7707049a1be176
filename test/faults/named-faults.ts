import type { Fault } from './fault-kinds.ts';
import type { FaultPlan } from './harness.ts';

/** A fault of a request that is named by what it is: its number in the trace would change with each added request. */
export type NamedFault = {
  /** How the request or delivery begins in traces. */
  readonly request: string;
  /** Which of these has the fault, from 1. */
  readonly nth: number;
  readonly fault: Fault;
};

/** The plan with these faults, and its text for a replay once it was played. Throws then if a request no longer occurs. */
export function planOf(faults: readonly NamedFault[]): { plan: FaultPlan; text: () => string } {
  const counts = faults.map(() => 0);
  const places = new Map<NamedFault, number>();
  return {
    plan: (index, name) => {
      const [meant] = faults.filter(({ request, nth }, place) => {
        if (!name.startsWith(request)) return false;
        counts[place] = (counts[place] ?? 0) + 1;
        return counts[place] === nth;
      });
      if (meant) places.set(meant, index);
      return meant?.fault;
    },
    text: () =>
      `strikes:${faults
        .map((named, place) => {
          const at = places.get(named);
          if (at !== undefined) return `${at}=${named.fault}`;
          throw new Error(`“${named.request}” occurs ${counts[place]} times, not ${named.nth}`);
        })
        .join(',')}`,
  };
}

/** What precedes the name of a request in a trace: when, its number, and the process. */
const BEFORE = /^\d+ \d+ (?:the network|(?:[a-z-]+)(?: \d+)?) /u;

/** Returns what became of a request in a trace: its fault; `none`, or how often the request occurs if that is not often enough. */
export function findFault(trace: readonly string[], { request, nth }: Omit<NamedFault, 'fault'>): string {
  const named = trace.map((line) => line.replace(BEFORE, '')).filter((line) => line.startsWith(request));
  const line = named[nth - 1];
  if (line === undefined) return `“${request}” occurs ${named.length} times, not ${nth}`;
  return line.split(' !! ')[1] ?? 'none';
}
