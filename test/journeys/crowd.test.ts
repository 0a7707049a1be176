import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askAtOnce, crowdOf } from './crowd.ts';
import { dataFolder, type Journey, startJourney, workDone } from './system.ts';

/** Many people who ask at once. When each of them reads what, and whether it is true: test/flows/wait-queue.test.ts, on a clock of its own. */
const PEOPLE = 60;
/** The burst is 30. The others wait half a second for each of those before them, less what the machine takes to begin. */
const MIN_WAITING = 10;

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path, { slack: { identity: crowdOf(PEOPLE) } });
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

test('60 people who ask at once are all answered; who waits reads the place and for how long, then that it goes on', async () => {
  const { upstream, system } = journey;
  const from = upstream.journal.length;
  const waited = await askAtOnce(
    journey,
    Array.from({ length: PEOPLE }, (_, person) => ({ person })),
  );
  await workDone(system);
  expect(waited.map(({ answer }, n) => answer.includes(String(1_001 + n)))).not.toContain(false);
  // None was refused by the upstream, and none was sent twice.
  const chats = upstream.journal.slice(from).filter(({ path }) => path.endsWith('/chat/completions'));
  expect(chats.map(({ status }) => status)).not.toContain(429);

  const inLine = /^is waiting in line: (?:place (?<place>\d+), )?about \d+ s$/u;
  const told = waited.filter(({ statuses }) => statuses.some((words) => inLine.test(words)));
  expect(told.length).toBeGreaterThanOrEqual(MIN_WAITING);
  const other = waited.flatMap(({ statuses }) => statuses.filter((words) => !inLine.test(words)));
  expect(other.filter((words) => words !== 'is thinking…' && words !== '')).toEqual([]);
  for (const { statuses } of told) {
    // The last word before the answer is that it is under way.
    expect(statuses.filter((words) => words !== '').at(-1)).toBe('is thinking…');
  }
  // Those who come later in line are told so.
  const places = told.flatMap(({ statuses }) =>
    statuses.map((words) => Number(inLine.exec(words)?.groups?.['place'] ?? 1)),
  );
  expect(Math.max(...places)).toBeGreaterThanOrEqual(MIN_WAITING / 2);
}, 120_000);
