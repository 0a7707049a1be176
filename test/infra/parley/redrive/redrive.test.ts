import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import {
  serializeTask,
  type Task,
  channelId,
  messageId,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import { openJournal } from '../../../../infra/local/emulator/sqs/journal.ts';
import { Queues } from '../../../../infra/local/emulator/sqs/queues.ts';
import { createSqsOperations } from '../../../../infra/local/emulator/sqs/server.ts';
import type { LocalSystemAccess, SystemAccess } from '../../../../infra/parley/operator/open-system.ts';
import { openQueue } from '../../../../infra/parley/operator/queues.ts';
import { redrive, type RedriveOptions } from '../../../../infra/parley/redrive/redrive-command.ts';
import { fakeCloudWatchLogs } from '../fake-cloudwatch-logs.ts';
import { scratch } from '../../local/sample-template.ts';

const listSchema = v.object({ letters: v.array(v.object({ id: v.string(), thread: v.string() })) });
const DEAD = 'http://aws/0/Dead.fifo';
const TASKS = 'http://aws/0/Tasks.fifo';
const RECORDINGS = 'http://aws/0/Recordings.fifo';
const TRACE = '1-5759e988-bd862e3fe1be46a994272793';

let folder: ReturnType<typeof scratch>;
let queues: Queues;
let system: LocalSystemAccess;
beforeEach(() => {
  folder = scratch();
  const { journal, records } = openJournal(join(folder.directory, 'queues.jsonl'));
  const rules = ['Dead', 'Tasks', 'Recordings'].map((name) => ({
    name: `${name}.fifo`,
    visibilityMs: 30_000,
    retentionMs: 1e9,
    contentDedup: false,
    dedupScope: 'messageGroup' as const,
  }));
  let id = 0;
  queues = new Queues(
    rules,
    journal,
    records,
    Date.now,
    () => `00000000-0000-${(id += 1)}`,
    () => undefined,
  );
  const operations = createSqsOperations(queues, (name) => `http://aws/0/${name}`);
  system = {
    kind: 'local',
    name: 'the local system',
    outputs: { TasksDeadUrl: DEAD, TasksUrl: TASKS, RecordingsUrl: RECORDINGS, ConversationsTable: 'C' },
    call: async (_service, target, input) => operations[target]?.(input, new AbortController().signal),
    data: folder.directory,
    api: 'http://127.0.0.1:1',
    slackTeam: 'T1',
    logLevel: undefined,
    timeZone: undefined,
  };
});
afterEach(() => {
  queues.close();
  folder.remove();
});

const THREAD = {
  platform: 'slack' as const,
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.000000'),
};
const task = (message: string): string => {
  const ask: Task = {
    v: 1,
    kind: 'ask',
    thread: THREAD,
    message: messageId(message),
    asker: userId('U1'),
    askerWorkspace: workspaceId('T1'),
    question: 'a secret question',
    attachments: [],
    receivedAt: 0,
  };
  return serializeTask(ask);
};
const bury = (message: string, group = 'g') =>
  openQueue(system.call, DEAD, `Root=${TRACE};Sampled=0`).send(task(message), group, message);

async function run(
  ids: readonly string[],
  changes: Partial<RedriveOptions> = {},
  answer?: boolean,
  of: SystemAccess = system,
) {
  const lines: string[] = [];
  const terminal = {
    print: (line: string) => void lines.push(line),
    report: (line: string) => void lines.push(line),
    hasColors: false,
    width: undefined,
    confirm: answer === undefined ? undefined : async () => answer,
    env: {},
  };
  const options = {
    data: folder.directory,
    json: false,
    all: false,
    since: 1_000,
    yes: false,
    dryRun: false,
    wait: false,
    timeout: 1_000,
  };
  const code = await redrive(of, ids, { ...options, ...changes }, terminal, {
    now: Date.now,
    wait: () => Promise.resolve(),
  });
  return { code, output: lines.join('\n') };
}
/** A line of a log. */
const line = (event: string, facts: object) =>
  `${JSON.stringify({ timestamp: new Date().toISOString(), level: 'warn', event, trace: TRACE, ...facts })}\n`;
const bodySchema = v.object({ message: v.string() });
const messageOf = ({ body }: { readonly body: string }): string =>
  v.parse(bodySchema, JSON.parse(body)).message;
const bodies = (queue: string) => queues.receive(queue, 10).map(({ message }) => message);

describe('redrive', () => {
  test('lists dead letters with the reason in the logs, and leaves them as they were', async () => {
    await bury('2.000000');
    mkdirSync(join(folder.directory, 'logs'), { recursive: true });
    writeFileSync(
      join(folder.directory, 'logs', 'Worker.log'),
      line('task.failed', { error: 'SlackApiError', code: 'invalid_auth' }) +
        line('task.given-up', { failures: 5, crashes: 0 }),
    );
    const { output } = await run([]);
    expect(output).toContain('dead letter: ask');
    expect(output).toContain('SlackApiError invalid_auth, 5 failures');
    expect(output).not.toContain('secret');
    expect(output.split('puts one back')).toHaveLength(2);
    expect(queues.counts('Dead.fifo')).toMatchObject({ visible: 1, inFlight: 0 });
  });

  test('puts the chosen ones back in the order of their thread, and deletes them there', async () => {
    await bury('1.000000');
    await bury('2.000000');
    await bury('3.000000', 'other');
    const { letters } = v.parse(listSchema, JSON.parse((await run([], { json: true })).output));
    const ids = letters.filter(({ thread }) => thread === 'g').map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect((await run(ids, { yes: true })).code).toBe(0);
    const back = bodies('Tasks.fifo');
    expect(back.map(messageOf)).toEqual(['1.000000', '2.000000']);
    expect(back.map(({ group, trace }) => `${group} ${trace}`)).toEqual([
      `g Root=${TRACE};Sampled=0`,
      `g Root=${TRACE};Sampled=0`,
    ]);
    expect(bodies('Dead.fifo').map(messageOf)).toEqual(['3.000000']);
  });

  test.each([
    ['a dry run', { dryRun: true }, undefined, /--dry-run/],
    ['an answer of no', {}, false, /Nothing was changed/],
  ])('changes nothing after %s', async (_, changes, answer, message) => {
    await bury('1.000000');
    expect((await run([], { all: true, ...changes }, answer)).output).toMatch(message);
    expect(queues.counts('Tasks.fifo').visible).toBe(0);
    expect(queues.counts('Dead.fifo').visible).toBe(1);
  });

  test('refuses where nobody can confirm, and ids that are not in the list', async () => {
    await bury('1.000000');
    await expect(run([], { all: true })).rejects.toThrow('Add --yes');
    await expect(run(['12345678'], { yes: true })).rejects.toThrow('Not in the list: 12345678');
    expect(queues.counts('Dead.fifo').visible).toBe(1);
  });

  test.each(['redo', 'reconcile'] as const)(
    'waits for no end of a %s whose question is gone: it has nothing to do',
    async (kind) => {
      const turn = { thread: THREAD, message: messageId('1.000000'), asker: userId('U1') };
      const facts = { v: 1, ...turn, askerWorkspace: workspaceId('T1') } as const;
      const change = { kind: 'regenerate' } as const;
      const changed: Task =
        kind === 'redo'
          ? { ...facts, kind, key: 'k', by: userId('U1'), round: 0, change }
          : { ...facts, kind };
      await openQueue(system.call, DEAD, `Root=${TRACE};Sampled=0`).send(serializeTask(changed), 'g', kind);
      const changes = { all: true, yes: true, wait: true, json: true, timeout: 0 };
      const { code, output } = await run([], changes);
      expect(code).toBe(0);
      expect(output).toMatch(/"state": "done",\s+"detail": "its question is deleted or erased"/u);
    },
  );

  test('says that the logs were not read completely: the list may lack questions', async () => {
    const text = JSON.stringify({
      timestamp: new Date().toISOString(),
      level: 'info',
      event: 'other',
      kind: 'failed',
    });
    const many = Array.from({ length: 50_001 }, () => [Date.now(), text] as const);
    const { call: logs } = fakeCloudWatchLogs({ '/Parley/worker': [...many, ...many] }, many.length);
    const deployment = {
      ...system,
      kind: 'deployment' as const,
      stack: 'Parley',
      account: { region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
      call: (async (service, target, input) =>
        (service === 'logs' ? logs : system.call)(service, target, input)) satisfies SystemAccess['call'],
    };
    const { output } = await run([], { since: 60_000 }, undefined, deployment);
    expect(output).toContain('Not all lines were read');
  });

  test('without anything to do says so', async () => {
    expect((await run([])).output).toContain('There are no dead letters');
  });
});
