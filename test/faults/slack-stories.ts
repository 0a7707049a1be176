import { findViolations } from './find-violations.ts';
import type { UserAction, ScenarioOptions } from './options.ts';
import {
  MERGED,
  ONE_QUESTION,
  THREE_IN_A_MINUTE,
  THREE_QUESTIONS,
  THREE_THREADS,
  TWO_QUESTIONS,
} from './questions.ts';
import type { Random } from './seeded-random.ts';
import { runScenario } from './scenario.ts';
import type { Story } from './story.ts';

/** The content of a Slack story: questions and other actions; `randomActs` leaves the actions to the schedule. */
type Told = Omit<ScenarioOptions, 'plan' | 'random'> & { readonly randomActs?: boolean };

/** A Slack story. */
export const slackStory = (name: string, { randomActs = false, ...options }: Told): Story => ({
  name,
  async play(plan, random) {
    const acts = randomActs && random ? actsFrom(random) : options.acts;
    const end = await runScenario({ ...options, acts, plan, ...(random && { random }) });
    const { points } = end.harness;
    return { points, wrong: findViolations(end), trace: () => end.harness.trace, gaveUp: end.gaveUp };
  },
});

/** Up to two actions of people during the wait, or soon after. Deleting the first question deletes the thread. */
function actsFrom(random: Random): UserAction[] {
  const some = Math.floor(random() * 3);
  return Array.from({ length: some }, (): UserAction => {
    const what = ACTS[Math.floor(random() * ACTS.length)] ?? 'edit';
    const question = Math.floor(random() * 3);
    // Nobody edits twice at the same time.
    const afterMs = 300 + Math.floor(random() ** 3 * 90_000);
    return { what, question, afterMs };
  });
}

const ACTS = ['edit', 'delete', 'regenerate'] as const;

/** So many seconds of text. */
export const speech = (pieces: number) => ({
  pieces: Array.from({ length: pieces }, (_, n) => `, then ${n}`),
  everyMs: 1_000,
});
const SLOWLY = { perMinute: 3, burst: 1 };
/** Asked when all reservations of dead workers have expired. */
const EPILOGUE_MS = 6 * 60 * 60_000;

/** A question is deleted during its answer, together with the next one. */
export const DELETED: Told = {
  questions: MERGED,
  goesOn: speech(3),
  acts: [{ what: 'delete', question: 1, afterMs: 4_500 }],
};

/** The questions are booked. */
export const BUDGETS: Told = {
  questions: [...TWO_QUESTIONS, { text: 'later?', afterMs: EPILOGUE_MS }],
  budgets: true,
  faultsUntilMs: EPILOGUE_MS - 30 * 60_000,
};

export const SLACK_STORIES: readonly Story[] = [
  slackStory('slack-question', { questions: ONE_QUESTION }),
  slackStory('slack-thread', { questions: THREE_QUESTIONS, randomActs: true }),
  slackStory('slack-threads', { questions: THREE_THREADS }),
  slackStory('slack-invocation-lock', { questions: THREE_THREADS, groupLock: 'invocation' }),
  slackStory('slack-waiting', { questions: THREE_THREADS, limit: SLOWLY }),
  slackStory('slack-merged', { questions: MERGED, goesOn: speech(3) }),
  slackStory('slack-merged-changes', { questions: MERGED, goesOn: speech(3), randomActs: true }),
  slackStory('slack-threads-changes', { questions: THREE_THREADS, randomActs: true }),
  slackStory('slack-edit', {
    questions: ONE_QUESTION,
    goesOn: speech(3),
    acts: [{ what: 'edit', question: 0, afterMs: 1_500 }],
  }),
  slackStory('slack-delete', DELETED),
  slackStory('slack-stop', {
    questions: ONE_QUESTION,
    goesOn: speech(8),
    acts: [{ what: 'stop', question: 0, afterMs: 4_200 }],
  }),
  slackStory('slack-regenerate', {
    questions: ONE_QUESTION,
    acts: [{ what: 'regenerate', question: 0, afterMs: 20_000 }],
  }),
  slackStory('slack-continue', {
    questions: ONE_QUESTION,
    goesOn: speech(8),
    acts: [
      { what: 'stop', question: 0, afterMs: 4_200 },
      { what: 'continue', question: 0, afterMs: 20_000 },
    ],
  }),
  slackStory('tools', { questions: THREE_IN_A_MINUTE, searches: true }),
  slackStory('budgets', BUDGETS),
  slackStory('several-budgets', { ...BUDGETS, budgets: 'several' }),
  slackStory('large', { questions: THREE_THREADS, large: 'at once' }),
  slackStory('large-when-claimed', { questions: TWO_QUESTIONS, large: 'when claimed' }),
  slackStory('rotated-secret', { questions: TWO_QUESTIONS, rotatesAfterMs: 10_000 }),
  slackStory('deployment', {
    questions: THREE_QUESTIONS,
    deployment: { frontAfterMs: 1_000, workerAfterMs: 150_000 },
  }),
];
