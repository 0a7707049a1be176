import { answerBug } from './answer-stories.ts';
import { apiBug } from './api-stories.ts';
import { deploymentBug } from './deployment-stories.ts';
import { runCombinations, type Finding, runRandomSchedules } from './explore.ts';
import { knowledgeBug } from './knowledge-stories.ts';
import { KNOWN_SCHEDULES } from './known-schedules.ts';
import { planOf } from './named-faults.ts';
import { memoryBug } from './memory-stories.ts';
import { messageSearchBug } from './message-search-stories.ts';
import type { SeededBug } from './seeded-bugs.ts';
import { ONE_QUESTION } from './questions.ts';
import { BUDGETS, DELETED, slackStory, speech } from './slack-stories.ts';
import type { Story } from './story.ts';
import { summaryBug } from './summary-stories.ts';
import { toolBug } from './tool-stories.ts';

/** The story that detects a bug, where one question does not. */
const TOLD: Partial<Record<SeededBug, Parameters<typeof slackStory>[1]>> = {
  'a cost is booked twice': BUDGETS,
  // Slack sends a question and its edit twice, and a deletion once.
  'a refused task is acknowledged': {
    questions: ONE_QUESTION,
    acts: [{ what: 'delete', question: 0, afterMs: 30_000 }],
  },
  'messages of another answer count as own': DELETED,
  'streams without metadata are not found': { questions: ONE_QUESTION, goesOn: speech(3) },
};

/** The story that detects a bug, with the bug or without. */
export const storyFor = (bug: SeededBug, isSeeded: boolean): Story =>
  deploymentBug(bug, isSeeded) ??
  toolBug(bug, isSeeded) ??
  apiBug(bug, isSeeded) ??
  memoryBug(bug, isSeeded) ??
  knowledgeBug(bug, isSeeded) ??
  answerBug(bug, isSeeded) ??
  messageSearchBug(bug, isSeeded) ??
  summaryBug(bug, isSeeded) ??
  slackStory(`bug-${bug}`, { questions: ONE_QUESTION, ...TOLD[bug], ...(isSeeded && { mutant: bug }) });

/** Plays the known schedule of a bug. */
export async function playKnownSchedule(bug: SeededBug, isSeeded: boolean): Promise<Finding> {
  const story = storyFor(bug, isSeeded);
  const { plan, text } = planOf([KNOWN_SCHEDULES[bug]]);
  const { wrong, gaveUp, trace } = await story.play(plan);
  return { replay: `${story.name}:${text()}`, wrong: gaveUp ? [] : wrong, trace: trace() };
}

/** The first schedule that detects a seeded bug: the known one, or one of a search. Undefined if none of the fixed share does. */
export async function findScheduleFor(bug: SeededBug): Promise<Finding | undefined> {
  const known = await playKnownSchedule(bug, true);
  if (known.wrong.length > 0) return known;
  const story = storyFor(bug, true);
  const single = await runCombinations(story, { depth: 1, enough: 1 });
  if (single.findings[0]) return single.findings[0];
  const seeds = Array.from({ length: SEEDS }, (_, n) => n + 1);
  return (await runRandomSchedules(story, seeds, 1)).findings[0];
}

/** The number of random schedules for a bug that no single fault shows. */
const SEEDS = 400;
