import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
} from './harness.ts';

const Line = v.object({
  event: v.string(),
  trace: v.optional(v.string()),
  FirstWord: v.optional(v.number()),
  AnswerTime: v.optional(v.number()),
});

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The log lines of a function with this event. */
const logged = (name: string, event: string) =>
  readFileSync(join(folder.path, 'logs', `${name}.log`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => v.parse(Line, JSON.parse(line)))
    .filter((line) => line.event === event);

test('each question has one trace from the event through the queue to the answer', async () => {
  const { slack, system } = journey;
  for (const words of ['@parley What is 1 + 1?', '@parley What is 2 + 2?'])
    await answersIn(slack, await slack.say('Ada', words));
  await queuesAreEmpty(system);
  const traces = logged('SlackEvents', 'slack.accepted').map(({ trace }) => trace);
  const answered = logged('Worker', 'answer.ended');
  expect(answered).toHaveLength(2);
  for (const { trace, FirstWord, AnswerTime } of answered) {
    expect(trace).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/u);
    expect(traces).toContain(trace);
    expect(FirstWord).toBeLessThanOrEqual(AnswerTime ?? 0);
  }
  expect(new Set(answered.map(({ trace }) => trace)).size).toBe(2);
});
