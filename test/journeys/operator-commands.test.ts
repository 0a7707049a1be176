import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { createDeploymentSource } from '../../infra/parley/dashboard/deployment-source.ts';
import { openLocalSystem } from '../../infra/parley/operator/open-system.ts';
import { openTable } from '../../infra/parley/operator/tables.ts';
import { main } from '../../infra/parley/program.ts';
import { workspaceId } from '../../shared/domain/index.ts';
import { Schedules } from '../../shared/storage/index.ts';
import { fakeDeployment } from '../infra/parley/dashboard/fake-deployment.ts';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  queuesAreEmpty,
  startJourneyHarness,
} from './harness.ts';

/** The commands for operators, on a running system, one after the other: a start takes longer than all of them. */
const folder = dataFolder();
let journey: JourneyHarness;
beforeAll(async () => {
  journey = await startJourneyHarness(folder.path);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

async function run(...args: readonly string[]) {
  const [printed, reported]: [string[], string[]] = [[], []];
  const code = await main([...args, '--data', folder.path], {
    print: (line) => void printed.push(line),
    report: (line) => void reported.push(line),
    hasColors: false,
    width: undefined,
    confirm: undefined,
    env: {},
  });
  return { code, printed: printed.join('\n'), reported: reported.join('\n') };
}

const permalink = (channel: string, ts: string): string =>
  `https://acme.slack.com/archives/${channel}/p${ts.replace('.', '')}`;
const traceSchema = v.object({
  turn: v.object({ message: v.string(), state: v.string(), asker: v.string() }),
  row: v.object({ requests: v.number(), dollars: v.number() }),
  entries: v.array(v.object({ what: v.string() })),
});
const lettersSchema = v.object({ letters: v.array(v.object({ id: v.string(), reason: v.string() })) });

test('an operator traces a question, answers a failed one again, and reads, exports and erases data', async () => {
  const { slack, system } = journey;
  const question = await slack.say('Ada', '@parley What is 6 * 7?');
  const [answer] = await answersIn(slack, question);
  const failed = await slack.say('Ada', '@parley again [[sim:error=500 times=3]]');
  await answersIn(slack, failed);
  await queuesAreEmpty(system);

  // By the question, and by its answer.
  for (const message of [question, `${answer?.ts}`]) {
    const link = `${permalink(slack.channel, message)}?thread_ts=${question}`;
    const { code, printed } = await run('trace', link, '--json');
    expect(code).toBe(0);
    const { turn, row, entries } = v.parse(traceSchema, JSON.parse(printed));
    expect(turn).toMatchObject({ message: question, state: 'answered', asker: slack.users[0]?.id });
    expect(row).toMatchObject({ requests: 1, dollars: expect.any(Number) });
    const steps = entries.map(({ what }) => what);
    expect(steps).toEqual(expect.arrayContaining(['A task was queued', 'The answer was complete']));
    expect(steps.filter((step) => step.startsWith('Request: chat.'))).not.toEqual([]);
  }
  expect(await run('trace', '1700000000.000100')).toMatchObject({
    code: 1,
    reported: expect.stringContaining('Nothing is known of this message'),
  });

  const list = async () =>
    v.parse(lettersSchema, JSON.parse((await run('redrive', '--json')).printed)).letters;
  expect(await list()).toEqual(
    [{ id: failed, reason: 'server, 500' }].map((one) => expect.objectContaining(one)),
  );
  expect((await run('redrive', failed)).reported).toContain('Add --yes');
  const redriven = await run('redrive', failed, '--yes');
  expect(redriven).toMatchObject({ code: 0, printed: expect.stringContaining(`${failed}  done   answered`) });
  expect(await list()).toEqual([]);

  expect((await run('usage', '--by', 'channel')).printed).toContain(slack.channel);
  expect(await run('dashboard')).toMatchObject({ code: 0, printed: `${system.local.api}/dashboard` });
  expect((await run('jobs')).printed).toBe('There are no jobs.');
  expect(
    (await run('tail', '--since', '10m', '--no-follow', '--event', 'answer.*', '--thread', question)).printed,
  ).toMatch(/^[\d:.]+ info +Worker +answer\.ended [^\n]+$/u);

  const out = join(folder.path, 'thread.json');
  const key = `slack#${slack.teamId}#${slack.channel}#${question}`;
  expect((await run('export', 'thread', key, '--out', out)).code).toBe(0);
  expect(readFileSync(out, 'utf8')).toContain('What is 6 * 7?');
  expect((await run('forget', 'thread', key, '--dry-run')).printed).toContain(
    '1  questions with their answers',
  );
  expect(await run('forget', 'thread', key, '--yes')).toMatchObject({
    code: 0,
    reported: expect.stringMatching(/Erased: [1-9]\d* items?\./u),
  });
  expect((await run('forget', 'thread', key, '--dry-run')).printed).toContain('nothing');
  expect(existsSync(out)).toBe(true);
});

test('the dashboard of a deployment reads the tables and queues of the emulators', async () => {
  const { slack } = journey;
  await answersIn(slack, await slack.say('Ada', '@parley What is 6 * 7?'));
  const local = openLocalSystem(folder.path);
  const { options } = fakeDeployment();
  const read = async (workspaces: typeof options.workspaces) =>
    createDeploymentSource({
      ...options,
      system: { ...local, stack: 'Parley' },
      workspaces,
      now: Date.now,
      // CloudWatch has no emulator.
      call: (service, target, input) =>
        /^(?:dynamodb|sqs)$/u.test(service)
          ? local.call(service, target, input)
          : options.call(service, target, input),
    }).read(60 * 60_000);
  const scanned = await read([]);
  expect(scanned).toMatchObject({
    notes: [],
    usage: { people: [{ id: slack.users[0]?.id, dollars: expect.any(Number) }] },
  });
  expect(scanned.queues.map(({ name }) => name)).toEqual(['Tasks', 'Recordings', 'TasksDead']);
  expect(scanned.limits).toContainEqual(expect.objectContaining({ family: 'chat', burst: 30 }));
  const queried = await read([{ platform: 'slack', workspace: slack.teamId }]);
  expect(queried.usage).toEqual(scanned.usage);
});

test('an administrator who subscribes to the weekly summary gets it from the sweeper, queue and worker, once', async () => {
  const { slack, system } = journey;
  const { emulator } = system;
  const summaries = () =>
    [...slack.core.state.messages.values()].flatMap((channel) =>
      [...channel.values()].filter((one) => /The week \d/u.test(JSON.stringify(one))),
    );
  const sweep = () => emulator.invoke(emulator.resources.schedules[0]?.functionId ?? '', {});
  await slack.command('ada', '/parley weekly on');
  const { dynamo, table } = openTable(openLocalSystem(folder.path));
  const schedules = new Schedules({ dynamo, table, now: Date.now });
  const place = { platform: 'slack', workspace: workspaceId(slack.teamId) } as const;
  await queuesAreEmpty(system);
  const [schedule] = await schedules.list(place);
  if (!schedule) throw new Error('the subscription was not stored');
  // It was due a minute ago: the sweeper runs once a minute.
  await schedules.save({ ...schedule, dueMs: Math.floor(Date.now() / 1_000) * 1_000 - 60_000 });
  await sweep();
  await slack.core.until(() => summaries()[0]);
  await queuesAreEmpty(system);
  await sweep();
  await queuesAreEmpty(system);
  expect(summaries()).toHaveLength(1);
});
