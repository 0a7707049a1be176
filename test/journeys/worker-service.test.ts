import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { synthesize, readTemplateFolder } from '../../infra/local/template/build.ts';
import type { LocalProcess } from '../../infra/local/functions/processes.ts';
import { tableOf } from './relay-harness.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
} from './harness.ts';

const DRAIN_SECONDS = 2;
const folder = dataFolder();
let out: string;
let journey: JourneyHarness;

// The worker as the process of `-c worker=fargate`, on the local queue and tables.
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'parley-fargate-'));
  await synthesize(out, { rules: 'off', worker: 'fargate', tracing: 'on' });
  await writeFile(join(out, 'package.json'), '{"type":"commonjs"}\n');
  const built = await readTemplateFolder(out);
  // A hundred seconds in the template, too long for a test.
  const text = JSON.stringify(built.template);
  const drain = '"Name":"DRAIN_SECONDS","Value":"';
  if (!text.includes(`${drain}100"`)) throw new Error('the template says nothing of the time to drain');
  const template: unknown = JSON.parse(text.replace(`${drain}100"`, `${drain}${DRAIN_SECONDS}"`));
  journey = await startJourneyHarness(folder.path, {
    build: async () => ({ ...built, template }),
    upstream: { paceMs: 25 },
  });
});
afterAll(async () => {
  await journey.system.close();
  await rm(out, { recursive: true });
  folder.remove();
});

const Line = v.object({ event: v.string(), count: v.optional(v.number()) });

/** The log of the process since the start of the system, over its restarts. */
async function logged(event: string) {
  const text = await readFile(join(folder.path, 'logs', 'TaskService.log'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => v.parse(Line, JSON.parse(line))).filter((line) => line.event === event);
}

function processOf({ system }: JourneyHarness): LocalProcess {
  const [one, ...others] = system.emulator.processes;
  expect(others).toEqual([]);
  if (!one) throw new Error('no process runs');
  return one;
}

const completions = (): number =>
  journey.upstream.journal.filter(({ path }) => path.includes('/chat/completions')).length;

test('one process answers, and no function receives tasks', async () => {
  const { slack, system } = journey;
  const [answer] = await answersIn(slack, await slack.say('ada', '@parley What is 1 + 1?'));
  expect(answer?.text).toContain('2');
  await queuesAreEmpty(system);
  expect(await logged('worker.started')).toHaveLength(1);
  expect(await logged('answer.ended')).toHaveLength(1);
  const sources = system.emulator.resources.eventSources.map(({ queue }) => queue);
  expect(sources.filter((queue) => queue.startsWith('Tasks'))).toEqual([
    expect.stringMatching(/^TasksAlone/u),
    expect.stringMatching(/^TasksDead/u),
  ]);
});

test('one sampled X-Ray trace runs from the front through the queue to the last update of the answer', () => {
  const { segments } = journey.system.emulator;
  const [answered] = segments.filter(({ subsegments }) => subsegments.length > 0);
  expect(answered).toMatchObject({
    name: 'Parley-dev-worker',
    // Of the function that queued the task.
    parent_id: expect.stringMatching(/^[0-9a-f]{16}$/u),
    annotations: { platform: 'slack', ending: 'answered' },
  });
  expect(answered?.subsegments.map(({ name }) => name)).toEqual([
    'wait for the models',
    'first word',
    'answer',
    'last update',
  ]);
});

test('on SIGTERM the process completes an answer that ends in time, and exits', async () => {
  const { slack, system } = journey;
  const before = completions();
  const thread = await slack.say('ada', '@parley [[sim:tokens=30]]');
  await slack.core.until(() => botMessages(slack, thread)[0]?.stream?.open);
  const { pid } = processOf(journey);
  process.kill(pid ?? 0, 'SIGTERM');
  await answersIn(slack, thread);
  await queuesAreEmpty(system);
  await waitUntil(() => processOf(journey).pid !== pid);
  expect(completions()).toBe(before + 1);
  expect((await logged('worker.stopped')).at(-1)).toMatchObject({ count: 0 });
});

test('on SIGTERM the process hands a longer answer to another process, which completes it once', async () => {
  const { slack, system } = journey;
  const words = 'All of these words belong to one answer. '.repeat(40);
  const before = { completions: completions(), answers: (await logged('answer.ended')).length };
  const thread = await slack.say('ada', `@parley [[sim:say=${words}]]`);
  await slack.core.until(() => botMessages(slack, thread)[0]?.stream?.open);
  const { pid } = processOf(journey);
  process.kill(pid ?? 0, 'SIGTERM');
  await waitUntil(() => processOf(journey).pid !== pid);
  await queuesAreEmpty(system);
  const answers = botMessages(slack, thread);
  expect(answers.map(({ text }) => text.trim())).toEqual([words.trim()]);
  expect(completions()).toBe(before.completions + 2);
  expect(await logged('answer.ended')).toHaveLength(before.answers + 1);
  expect((await logged('worker.stopped')).at(-1)).toMatchObject({ count: 1 });
  expect(await attempts()).toMatchObject([{ returned: { N: '1' } }]);
  for (const one of await attempts())
    for (const name of ['failed', 'begun']) expect(one[name]).toBeUndefined();
});

/** The recorded attempts of tasks that were not done at their first receive. */
async function attempts() {
  const { region, credentials } = tableOf(journey.system);
  const { emulator: cloud } = journey.system;
  const dynamo = new DynamoDBClient({ region, credentials, endpoint: cloud.dynamodb });
  const TableName = cloud.resources.tables.find(({ name }) => name.startsWith('Tokens'))?.name;
  const { Items = [] } = await dynamo.send(new ScanCommand({ TableName, ConsistentRead: true }));
  dynamo.destroy();
  return Items.filter(({ pk }) => pk?.S?.startsWith('TASK#'));
}
