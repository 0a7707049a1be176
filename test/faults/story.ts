import { type Random, createSeededRandom } from './seeded-random.ts';
import type { Fault } from './fault-kinds.ts';
import type { FaultPlan, FaultPoint } from './harness.ts';

/** How a run of a story ended. */
export type StoryResult = {
  readonly points: readonly FaultPoint[];
  /** What is wrong with how it ended; empty if nothing is. */
  readonly wrong: readonly string[];
  /** What happened, in order. */
  readonly trace: () => readonly string[];
  /** A platform gave an event up, so nothing can be said of how the run should have ended. */
  readonly gaveUp: boolean;
};

/** Something that people do with the bot, played by the real handlers. */
export type Story = {
  readonly name: string;
  /** Plays it once. `random` chooses the order of what may happen in any, and what else people do. */
  play(plan: FaultPlan, random?: Random): Promise<StoryResult>;
};

/** Which fault strikes at which point of a run. */
export type InjectedFaults = ReadonlyMap<number, Fault>;

export const faultPlanOf =
  (strikes: InjectedFaults): FaultPlan =>
  (index) =>
    strikes.get(index);

/** The generator of a random schedule. */
export const scheduleOf = (seed: number): Random => createSeededRandom(seed);
