import { runCombinations, type Exploration, type Part, runRandomSchedules } from './explore.ts';
import type { Story } from './story.ts';

export type ShareOptions = {
  /** How many schedules of a story, all parts together. */
  readonly each: number;
  readonly depth: number;
  readonly seed: number;
  readonly part: Part;
};

/** Of each number of faults at most so much of a story's schedules is played in order; what is left is random. */
const IN_ORDER = 0.4;

/** One part of a story's share: combinations of faults in order, then random schedules. */
export async function exploreShare(
  story: Story,
  { each, depth, seed, part }: ShareOptions,
): Promise<Exploration> {
  const ordered = await runCombinations(story, { depth, most: Math.ceil(each * IN_ORDER), part });
  const left = Math.max(0, Math.ceil(each / part.of) - ordered.runs);
  const seeds = Array.from({ length: left }, (_, n) => seed + part.nth + n * part.of);
  const random = await runRandomSchedules(story, seeds);
  return {
    runs: ordered.runs + random.runs,
    faults: ordered.faults + random.faults,
    findings: [...ordered.findings, ...random.findings],
    levels: ordered.levels,
  };
}
