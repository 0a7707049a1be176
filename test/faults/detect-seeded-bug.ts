import { deploymentBug } from './deployment-stories.ts';
import { runCombinations, type Finding, runRandomSchedules } from './explore.ts';
import type { SeededBug } from './seeded-bugs.ts';
import { ONE_QUESTION } from './questions.ts';
import { BUDGETS, DELETED, slackStory } from './slack-stories.ts';
import type { Story } from './story.ts';

/** The story that detects a bug, where one question does not. */
const TOLD: Partial<Record<SeededBug, Parameters<typeof slackStory>[1]>> = {
  'a cost is booked twice': BUDGETS,
  // Slack sends a question twice and an edit once.
  'a refused task is acknowledged': {
    questions: ONE_QUESTION,
    acts: [{ what: 'edit', question: 0, afterMs: 30_000 }],
  },
  'messages of another answer count as own': DELETED,
};

/** A story with this bug. */
export const storyWithBug = (mutant: SeededBug): Story =>
  deploymentBug(mutant) ?? slackStory(`bug-${mutant}`, { questions: ONE_QUESTION, ...TOLD[mutant], mutant });

/** The first schedule that detects a seeded bug, or undefined if none of the fixed share does. */
export async function findScheduleFor(mutant: SeededBug): Promise<Finding | undefined> {
  const story = storyWithBug(mutant);
  const single = await runCombinations(story, { depth: 1, enough: 1 });
  if (single.findings[0]) return single.findings[0];
  const seeds = Array.from({ length: SEEDS }, (_, n) => n + 1);
  return (await runRandomSchedules(story, seeds, 1)).findings[0];
}

/** The number of random schedules for a bug that no single fault shows. */
const SEEDS = 400;
