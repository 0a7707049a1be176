import { deploymentBug } from './deployment-stories.ts';
import { replay, runCombinations, type Finding, runRandomSchedules } from './explore.ts';
import type { SeededBug } from './seeded-bugs.ts';
import { ONE_QUESTION } from './questions.ts';
import { BUDGETS, DELETED, slackStory } from './slack-stories.ts';
import type { Story } from './story.ts';
import { toolBug } from './tool-stories.ts';

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
  deploymentBug(mutant) ??
  toolBug(mutant) ??
  slackStory(`bug-${mutant}`, { questions: ONE_QUESTION, ...TOLD[mutant], mutant });

/** Schedules known to detect a bug that few detect. They are tried first, to save time; after a change others may detect it. */
const KNOWN: Partial<Record<SeededBug, string>> = {
  'a cost is booked twice': 'strikes:17=reply-lost',
  'a refused task is acknowledged': 'strikes:22=error',
  'streams without metadata are not found': 'seed:160',
  'messages of another answer count as own': 'strikes:84=reply-lost',
  'a failed deletion counts as done': 'strikes:33=error',
  'an interrupted call is repeated': 'strikes:64=die-after',
};

/** The first schedule that detects a seeded bug, or undefined if none of the fixed share does. */
export async function findScheduleFor(mutant: SeededBug): Promise<Finding | undefined> {
  const story = storyWithBug(mutant);
  const known = KNOWN[mutant];
  const played = known === undefined ? undefined : await replay(story, known);
  if (played !== undefined && played.wrong.length > 0 && !played.gaveUp)
    return { replay: `${story.name}:${known}`, wrong: played.wrong, trace: played.trace() };
  const single = await runCombinations(story, { depth: 1, enough: 1 });
  if (single.findings[0]) return single.findings[0];
  const seeds = Array.from({ length: SEEDS }, (_, n) => n + 1);
  return (await runRandomSchedules(story, seeds, 1)).findings[0];
}

/** The number of random schedules for a bug that no single fault shows. */
const SEEDS = 400;
