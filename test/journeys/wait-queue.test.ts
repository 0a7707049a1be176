import { afterEach, expect, test } from '@jest/globals';
import { localize } from '../../shared/i18n/index.ts';
import type { Identity } from '../simulators/slack/identity.ts';
import { askSimultaneously, startWithUsers, type Waited } from './simultaneous-questions.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness, queuesAreEmpty } from './harness.ts';

/**
 * Many people ask at once. The timing and correctness of the reports: test/chat/wait-queue.test.ts, on a simulated
 * clock.
 */
const PEOPLE = 60;
/** The burst is 30. Each further question waits half a second more, less the time that the machine needs: how many wait depends on it. */
const MIN_WAITING = 1;

/** The reports to a waiting person. */
const IN_LINE = /^(?:⏳ Parley )?is waiting in line: (?:place \d+, )?about \d+ s$/u;

/** The status texts while the model works: which are seen depends on the speed of the machine. */
const THINKING = (['thinking', 'still', 'patience'] as const).map((name) =>
  localize('en', `answers.status.${name}`),
);

const NO_SESSIONS = { refusedApis: { 'agents.sessions': 'feature_disabled' } } as const;

const folder = dataFolder();
let journey: JourneyHarness;
// Also after a test that reached its time limit: a system that runs without its folder would fail the next suite.
afterEach(async () => {
  await journey.system.close();
  folder.remove();
});

/**
 * 60 people ask at once: all are answered, and no request exceeds the upstream's limit. Resolves with the reports.
 */
async function askedByAll(identity: Pick<Identity, 'refusedApis'>): Promise<Waited[]> {
  journey = await startJourneyHarness(folder.path, {
    slack: { identity: { ...identity, ...startWithUsers(PEOPLE) } },
  });
  const { upstream, system } = journey;
  const from = upstream.journal.length;
  const everybody = Array.from({ length: PEOPLE }, (_, person) => ({ person }));
  const answers = await askSimultaneously(journey, everybody);
  await queuesAreEmpty(system);
  expect(answers.map(({ answer }, n) => answer.includes(String(1_001 + n)))).not.toContain(false);
  // The upstream refused none, and none was sent twice.
  const chats = upstream.journal.slice(from).filter(({ path }) => path.endsWith('/chat/completions'));
  expect(chats.map(({ status }) => status)).not.toContain(429);
  return answers;
}

test('60 simultaneous questions are all answered; waiting people see their position and wait time', async () => {
  const answers = await askedByAll(NO_SESSIONS);
  const notified = answers.filter(({ statuses }) => statuses.some((words) => IN_LINE.test(words)));
  expect(notified.length).toBeGreaterThanOrEqual(MIN_WAITING);
  const other = answers.flatMap(({ statuses }) => statuses.filter((words) => !IN_LINE.test(words)));
  expect(other.filter((words) => !THINKING.includes(words) && words !== '')).toEqual([]);
});

test('with Slack sessions, whose status has no text, waiting people get position and wait time once in an ephemeral message', async () => {
  const answers = await askedByAll({});
  const notified = answers.filter(({ notes }) => notes.length > 0);
  expect(notified.length).toBeGreaterThanOrEqual(MIN_WAITING);
  expect(notified.map(({ notes }) => notes)).toEqual(notified.map(() => [expect.stringMatching(IN_LINE)]));
});
