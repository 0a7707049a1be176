import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Fault } from '../simulators/upstream/stream/faults.ts';
import { answersIn, dataFolder, waitUntil, type JourneyHarness, startJourneyHarness } from './harness.ts';

/** Servers of the format differ in their limit headers, and in how they report a lack of capacity. */
const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  // A workspace without sessions shows different status texts to waiting people.
  const refusedApis = { 'agents.sessions': 'feature_disabled' };
  journey = await startJourneyHarness(folder.path, { slack: { identity: { refusedApis } } });
});
afterEach(() => journey.upstream.control.clearFaults());
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

let requestCount = 0;

/** Asks, and resolves with the answer and the status texts during the wait. */
async function ask(who: string, mark = ''): Promise<{ answer: string; statuses: string[] }> {
  const { slack } = journey;
  const sum = 1_000 + (requestCount += 1);
  const thread = await slack.say(who, `@parley What is ${sum} + 1000? ${mark}`);
  const [answer] = await answersIn(slack, thread);
  const statuses = slack.calls
    .filter(({ method, args }) => method === 'assistant.threads.setStatus' && args['thread_ts'] === thread)
    .map(({ args }) => String(args['status']));
  expect(answer?.text).toContain(String(sum + 1_000));
  return { answer: answer?.text ?? '', statuses };
}

/** How a server fails the first request of a question, and then works. */
const FAILURES: Readonly<Record<string, Fault>> = {
  'a full model': { kind: 'capacity' },
  'a limit of the key': { kind: 'limited' },
  'a 429 without a code': { kind: 'error', status: 429, code: '' },
  'a 429 with a page': { kind: 'error', status: 429, body: 'html' },
  'a full model as a 503': { kind: 'error', status: 503, code: 'model_at_capacity' },
  'a 503': { kind: 'error', status: 503 },
  'a full model within the stream': { kind: 'error-event', after: 0, code: 'model_at_capacity' },
};

describe.each(['all', 'retry-after', 'none'] as const)('limit headers: %s', (limitHeaders) => {
  test('one capacity error delays nobody', async () => {
    const { control, journal } = journey.upstream;
    control.change({ limitHeaders });
    control.fail({ kind: 'capacity' });
    const from = journal.length;
    const people = ['ada', 'grace', 'ada', 'grace', 'ada'];
    const results = await Promise.all(people.map((who) => ask(who)));
    // A wait time would be wrong, since nobody knows it.
    expect(results.flatMap(({ statuses }) => statuses).join()).not.toMatch(/about (?:[4-9]|\d\d) s/u);
    expect(journal.length - from).toBeLessThanOrEqual(people.length + 2);
    expect((await ask('grace')).statuses.join()).not.toMatch(/full|about/u);
  });

  test('each kind of single failure still leads to an answer', async () => {
    const { control } = journey.upstream;
    control.change({ limitHeaders });
    const results = await Promise.all(
      Object.entries(FAILURES).map(([name, fault], n) => {
        const mark = `(${name}, ${limitHeaders})`;
        control.addFault({ fault, times: 1, containing: mark });
        return ask(n % 2 ? 'ada' : 'grace', mark);
      }),
    );
    expect(results).toHaveLength(Object.keys(FAILURES).length);
    expect((await ask('ada')).answer).not.toBe('');
  });
});

test('people see that they wait for a model at capacity, and all are answered when it has capacity', async () => {
  const { slack, upstream } = journey;
  upstream.control.change({ limitHeaders: 'none' });
  upstream.control.addFault({ fault: { kind: 'capacity' } });
  const from = slack.calls.length;
  const answers = Promise.all(['ada', 'grace', 'ada', 'grace'].map((who) => ask(who)));
  const notices = (): Set<unknown> =>
    new Set(
      slack.calls
        .slice(from)
        .filter(({ args }) => String(args['status']).startsWith('is waiting: the model is at capacity'))
        .map(({ args }) => args['thread_ts']),
    );
  await waitUntil(() => notices().size === 4);
  upstream.control.clearFaults();
  expect(await answers).toHaveLength(4);
});
