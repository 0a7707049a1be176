import { type Random, createSeededRandom } from './seeded-random.ts';
import type { Fault } from './fault-kinds.ts';
import type { FaultPlan, FaultPoint } from './harness.ts';

/** The result of a run. */
export type StoryResult = {
  readonly points: readonly FaultPoint[];
  /** The violations in the result; empty if there are none. */
  readonly wrong: readonly string[];
  /** The trace, in order. */
  readonly trace: () => readonly string[];
  /** A platform gave up an event, so the expected result is unknown. */
  readonly gaveUp: boolean;
};

/** Actions of people with the bot, run by the real handlers. */
export type Story = {
  readonly name: string;
  /** Runs it once. `random` chooses the order of concurrent events, and other actions of people. */
  play(plan: FaultPlan, random?: Random): Promise<StoryResult>;
};

/** The fault of each point of a run. */
export type InjectedFaults = ReadonlyMap<number, Fault>;

export const faultPlanOf =
  (strikes: InjectedFaults): FaultPlan =>
  (index) =>
    strikes.get(index);

/** The generator of a random schedule. */
export const scheduleOf = (seed: number): Random => createSeededRandom(seed);
