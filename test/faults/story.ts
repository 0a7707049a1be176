import { type Random, randomFrom } from './random.ts';
import type { Fault } from './fault-kinds.ts';
import type { Plan, Point } from './world.ts';

/** How a run of a story ended. */
export type Played = {
  readonly points: readonly Point[];
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
  play(plan: Plan, random?: Random): Promise<Played>;
};

/** Which fault strikes at which point of a run. */
export type Strikes = ReadonlyMap<number, Fault>;

export const planOf =
  (strikes: Strikes): Plan =>
  (index) =>
    strikes.get(index);

/** The generator of a random schedule. */
export const scheduleOf = (seed: number): Random => randomFrom(seed);
