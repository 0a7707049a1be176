import { exhaust, type Finding } from './explore.ts';
import type { Mutant } from './mutants.ts';
import { ONE_QUESTION } from './questions.ts';
import { slackStory } from './slack-stories.ts';
import type { Story } from './story.ts';

/** A story with this bug in it. */
export const storyWith = (mutant: Mutant): Story =>
  slackStory(`bug-${mutant}`, { questions: ONE_QUESTION, mutant });

/** The first schedule that shows a seeded bug; undefined if none of the fixed share does. */
export async function isCaught(mutant: Mutant): Promise<Finding | undefined> {
  const { findings } = await exhaust(storyWith(mutant), { depth: 2, enough: 1 });
  return findings[0];
}
