import { runCombinations, type Exploration, runRandomSchedules } from './explore.ts';
import type { Story } from './story.ts';

export type ShareOptions = {
  /** The schedules of the story. */
  readonly schedules: number;
  /** The maximum number of faults in a combination. */
  readonly depth: number;
  /** The first seed of the random schedules. */
  readonly seed: number;
};

/** The maximum share of combinations, with the same number for each number of faults. The rest is random. */
const COMBINATIONS_SHARE = 0.6;

/** Runs a story's share of the schedules: combinations of faults in order, then random schedules. */
export async function exploreShare(
  story: Story,
  { schedules, depth, seed }: ShareOptions,
): Promise<Exploration> {
  const maxSchedules = Math.ceil((schedules * COMBINATIONS_SHARE) / Math.max(1, depth));
  const ordered = await runCombinations(story, { depth, maxSchedules });
  const left = Math.max(0, schedules - ordered.runs);
  const seeds = Array.from({ length: left }, (_, n) => seed + n);
  const random = await runRandomSchedules(story, seeds);
  return {
    runs: ordered.runs + random.runs,
    random: random.runs,
    faultless: random.faultless,
    faults: ordered.faults + random.faults,
    findings: [...ordered.findings, ...random.findings],
    levels: ordered.levels,
  };
}
