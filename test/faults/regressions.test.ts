import { expect, test } from '@jest/globals';
import { ASK_LATER } from './api-stories.ts';
import { replay } from './explore.ts';
import { findFault, type NamedFault, planOf } from './named-faults.ts';
import { MERGED, TWO_QUESTIONS } from './questions.ts';
import { slackStory, speech } from './slack-stories.ts';
import { STORIES } from './stories.ts';
import type { Story } from './story.ts';

/**
 * A schedule with a wrong result in the past. Its faults are named by their requests; a random one also by one of its faults, since the seed alone would
 * silently become another schedule with each added request. One that no longer shows its defect is replaced by a unit test: `test/chat/late-edits.test.ts`,
 * `test/chat/given-up-task.test.ts`.
 */
type Regression =
  | { readonly story: string | Story; readonly faults: readonly NamedFault[] }
  | { readonly story: string; readonly seed: number; readonly shows: NamedFault };

const REGRESSIONS: readonly (readonly [string, Regression])[] = [
  [
    'a stream whose start was not confirmed is not mistaken for the answer of a deleted question',
    { story: 'slack-delete', faults: [{ request: 'chat.startStream', nth: 3, fault: 'reply-lost' }] },
  ],
  [
    'a pointer message that is delivered twice runs its task once, however long one delivery waits for its permit',
    {
      story: 'slack-thread',
      faults: [
        { request: 'update tokens SET tat = :next', nth: 3, fault: 'throttled' },
        { request: 'deliver to isolated', nth: 20, fault: 'double' },
        { request: 'chat.postMessage', nth: 2, fault: 'slow' },
      ],
    },
  ],
  [
    'a question with part of an answer of its own is not merged into another turn',
    { story: 'slack-merged', seed: 37, shows: { request: 'get conversations', nth: 3, fault: 'die-before' } },
  ],
  [
    'an edit of a merged question is applied after a later edit of another question of the turn',
    {
      // Both events of the first edit are slow to be accepted, and so come after the second.
      story: slackStory('merged-edited-twice', {
        questions: MERGED,
        goesOn: speech(3),
        acts: [
          { what: 'edit', question: 2, afterMs: 40_000 },
          { what: 'edit', question: 1, afterMs: 41_000 },
        ],
      }),
      faults: [
        { request: 'query conversations', nth: 11, fault: 'slow' },
        { request: 'query conversations', nth: 12, fault: 'slow' },
      ],
    },
  ],
  [
    'a redelivered message that is delivered twice is answered once, though both deliveries claim its turn',
    {
      story: 'deployment',
      seed: 20_101_368,
      shows: { request: 'deliver to worker', nth: 4, fault: 'double' },
    },
  ],
  [
    'a question that is delivered again after the root of its thread was deleted is not answered',
    {
      story: 'slack-threads-changes',
      seed: 148,
      shows: { request: 'conversations.replies', nth: 1, fault: 'die-before' },
    },
  ],
  [
    'an edit that arrives after the deletion of its question is not applied',
    {
      story: 'slack-thread',
      seed: 6_000_487,
      shows: {
        request: 'update tokens SET #ttl = :ttl, returned = if_not_exists(returned, :zero) + :one',
        nth: 2,
        fault: 'throttled',
      },
    },
  ],
  [
    'a worker whose claim is confirmed late does not ask again after another delivery took the claim over',
    {
      story: 'slack-invocation-lock',
      seed: 4_000_331,
      shows: {
        request:
          'update conversations SET lease = :until, fence = if_not_exists(fence, :zero) + :one REMOVE receipt',
        nth: 4,
        fault: 'slow',
      },
    },
  ],
  [
    'a status that waits behind a slow one does not appear after the answer',
    {
      story: 'slack-question',
      faults: [
        { request: 'chunk', nth: 1, fault: 'slow' },
        { request: 'agents.sessions.setStatus', nth: 1, fault: 'slow' },
      ],
    },
  ],
  [
    'a stream of the API that breaks off at its first read names its request',
    {
      story: 'api-stream',
      faults: [{ request: 'get conversations', nth: 2, fault: 'error' }],
    },
  ],
  [
    'a request whose question a crash left out is asked when the program sends it again, however late',
    { story: ASK_LATER, faults: [{ request: 'put conversations', nth: 1, fault: 'die-after' }] },
  ],
  [
    'a press of Run that is given up after its call was sent ends on its card',
    {
      story: 'tool-card',
      faults: [
        { request: 'tool call', nth: 1, fault: 'die-after' },
        ...Array.from({ length: 8 }, (_, n): NamedFault => ({
          request: 'get conversations',
          nth: 20 + n,
          fault: 'die-before',
        })),
      ],
    },
  ],
  [
    'a fact that a slow process writes during an erasure does not come back: the second pass removes it',
    {
      story: 'memory-forget',
      faults: [{ request: 'get conversations', nth: 7, fault: 'slow' }],
    },
  ],
  [
    'a finished transcript card does not go back to its progress when its task is delivered late',
    { story: 'voice', seed: 7_000_412, shows: { request: 'getPermalink', nth: 1, fault: 'reply-lost' } },
  ],
  [
    'a question from before an uninstall leaves no failure notice when its task is given up after it',
    {
      story: 'oauth-uninstall',
      faults: [
        { request: 'tell the front', nth: 2, fault: 'late' },
        { request: 'get conversations', nth: 3, fault: 'die-before' },
        { request: 'delete conversations', nth: 1, fault: 'reply-lost' },
        { request: 'get conversations', nth: 7, fault: 'slow' },
        { request: 'get conversations', nth: 22, fault: 'error' },
        { request: 'get conversations', nth: 23, fault: 'die-before' },
        { request: 'delete conversations', nth: 7, fault: 'throttled' },
        { request: 'get conversations', nth: 31, fault: 'error' },
        { request: 'get tokens', nth: 3, fault: 'throttled' },
        { request: 'get conversations', nth: 37, fault: 'throttled' },
        { request: 'get conversations', nth: 39, fault: 'die-before' },
        { request: 'update conversations', nth: 10, fault: 'die-late' },
      ],
    },
  ],
  [
    'a permit is returned once when the client repeats the write',
    {
      story: 'slack-stop',
      seed: 3_000_082,
      shows: { request: 'update tokens SET tat = tat - :cost', nth: 1, fault: 'retried' },
    },
  ],
  [
    'a permit is returned once when the client repeats the write, and the task moves to the large worker',
    {
      story: 'large-when-claimed',
      seed: 5_000_825,
      shows: { request: 'update tokens SET tat = tat - :cost', nth: 1, fault: 'retried' },
    },
  ],
  [
    'a weekly summary is not ended because Slack did not say whether its person is an administrator',
    { story: 'slack-weekly', faults: [{ request: 'users.info', nth: 1, fault: 'error' }] },
  ],
  [
    'a weekly summary is not ended because Discord did not say whether its person is an administrator',
    { story: 'discord-weekly', faults: [{ request: 'GET /guilds/', nth: 1, fault: 'error' }] },
  ],
  [
    'a weekly summary in a direct chat of Slack is shown once when the worker dies after its post',
    { story: 'slack-weekly', faults: [{ request: 'chat.postMessage', nth: 1, fault: 'die-after' }] },
  ],
  [
    'an edit that is given up because its thread was closed leaves nothing of an attempt that died, also when its last write arrives late',
    {
      story: slackStory('edited-then-closed', {
        questions: TWO_QUESTIONS,
        goesOn: speech(3),
        acts: [
          { what: 'edit', question: 1, afterMs: 40_000 },
          { what: 'delete', question: 0, afterMs: 50_000 },
        ],
      }),
      faults: [{ request: 'chat.update', nth: 2, fault: 'die-late' }],
    },
  ],
  [
    'a question of the next version that is given up during the deployment is not lost: its failure notice waits for a function that can read it',
    {
      story: 'deployment',
      faults: [
        { request: 'hide', nth: 3, fault: 'die-after' },
        { request: 'update tokens SET #ttl = :ttl, alone', nth: 1, fault: 'die-after' },
        { request: 'update tokens SET #ttl = :ttl, alone', nth: 2, fault: 'die-after' },
      ],
    },
  ],
  [
    'a repeated summary whose context was read anew does not request its stored parts again',
    {
      story: 'catch-up',
      faults: [
        { request: 'chunk', nth: 2, fault: 'die-before' },
        { request: 'users.info', nth: 6, fault: 'slow' },
        { request: 'get conversations', nth: 25, fault: 'error' },
      ],
    },
  ],
];

const findStory = (story: string | Story): Story | undefined =>
  typeof story === 'string' ? STORIES.find(({ name }) => name === story) : story;

/** Plays it. `shows`: the faults that occurred where they did then, of those that it names. */
async function play(
  regression: Regression,
): Promise<{ readonly wrong: readonly string[]; readonly shows: readonly string[] }> {
  const story = findStory(regression.story);
  if (!story) throw new Error(`no such story: ${JSON.stringify(regression.story)}`);
  const isNamed = 'faults' in regression;
  const { wrong, trace } = await (isNamed
    ? story.play(planOf(regression.faults).plan)
    : replay(story, `seed:${regression.seed}`));
  return { wrong, shows: faultsOf(regression).map((fault) => findFault(trace(), fault)) };
}

const faultsOf = (regression: Regression): readonly NamedFault[] =>
  'faults' in regression ? regression.faults : [regression.shows];

test.each(REGRESSIONS)('%s', async (_, regression) => {
  const { wrong, shows } = await play(regression);
  expect(shows).toEqual(faultsOf(regression).map(({ fault }) => fault));
  expect(wrong).toEqual([]);
});

test('a fault of a request that no longer occurs is reported', async () => {
  const story = STORIES.find(({ name }) => name === 'slack-question');
  const missing = { request: 'request', nth: 9, fault: 'slow' } as const;
  const { plan, text } = planOf([missing]);
  const played = await story?.play(plan);
  expect(text).toThrow('“request” occurs 1 times, not 9');
  expect(findFault(played?.trace() ?? [], missing)).toBe('“request” occurs 1 times, not 9');
  expect(findFault(played?.trace() ?? [], { ...missing, nth: 1 })).toBe('none');
});
