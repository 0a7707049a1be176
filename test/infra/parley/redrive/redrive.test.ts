import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { messageId, serializeTask, type Task, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { fakeCloudWatchLogs } from '../fake-cloudwatch-logs.ts';
import { messageOf, startRedriveSystem, THREAD, TRACE } from './redrive-system.ts';

const listSchema = v.object({ letters: v.array(v.object({ id: v.string(), thread: v.string() })) });

let fake: ReturnType<typeof startRedriveSystem>;
beforeEach(() => {
  fake = startRedriveSystem();
});
afterEach(() => fake.close());

/** A line of a log. */
const line = (event: string, facts: object) =>
  `${JSON.stringify({ timestamp: new Date().toISOString(), level: 'warn', event, trace: TRACE, ...facts })}\n`;

describe('redrive', () => {
  test('lists dead letters with the reason in the logs, and leaves them as they were', async () => {
    await fake.addDeadLetter('2.000000');
    mkdirSync(join(fake.directory, 'logs'), { recursive: true });
    writeFileSync(
      join(fake.directory, 'logs', 'Worker.log'),
      line('task.failed', { error: 'SlackApiError', code: 'invalid_auth' }) +
        line('task.given-up', { failures: 5, crashes: 0 }),
    );
    const { output } = await fake.run([]);
    expect(output).toContain('dead letter: ask');
    expect(output).toContain('SlackApiError invalid_auth, 5 failures');
    expect(output).not.toContain('secret');
    expect(output.split('puts one back')).toHaveLength(2);
    expect(fake.queues.counts('Dead.fifo')).toMatchObject({ visible: 1, inFlight: 0 });
  });

  test('puts the chosen ones back in the order of their thread, and deletes them there', async () => {
    await fake.addDeadLetter('1.000000');
    await fake.addDeadLetter('2.000000');
    await fake.addDeadLetter('3.000000', 'other');
    const { letters } = v.parse(listSchema, JSON.parse((await fake.run([], { json: true })).output));
    const ids = letters.filter(({ thread }) => thread === 'g').map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect((await fake.run(ids, { yes: true })).code).toBe(0);
    const back = fake.bodies('Tasks.fifo');
    expect(back.map(messageOf)).toEqual(['1.000000', '2.000000']);
    expect(back.map(({ group, trace }) => `${group} ${trace}`)).toEqual([
      `g Root=${TRACE};Sampled=0`,
      `g Root=${TRACE};Sampled=0`,
    ]);
    expect(fake.bodies('Dead.fifo').map(messageOf)).toEqual(['3.000000']);
  });

  test.each([
    ['a dry run', { dryRun: true }, undefined, /--dry-run/],
    ['an answer of no', {}, false, /Nothing was changed/],
  ])('changes nothing after %s', async (_, changes, answer, message) => {
    await fake.addDeadLetter('1.000000');
    expect((await fake.run([], { all: true, ...changes }, { answer })).output).toMatch(message);
    expect(fake.queues.counts('Tasks.fifo').visible).toBe(0);
    expect(fake.queues.counts('Dead.fifo').visible).toBe(1);
  });

  test('refuses where nobody can confirm, and ids that are not in the list', async () => {
    await fake.addDeadLetter('1.000000');
    await expect(fake.run([], { all: true })).rejects.toThrow('Add --yes');
    await expect(fake.run(['12345678'], { yes: true })).rejects.toThrow('Not in the list: 12345678');
    expect(fake.queues.counts('Dead.fifo').visible).toBe(1);
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
      await fake.sendDead(serializeTask(changed), 'g', kind);
      const changes = { all: true, yes: true, wait: true, json: true, timeout: 0 };
      const { code, output } = await fake.run([], changes);
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
    const { output } = await fake.run([], { since: 60_000 }, { of: fake.deployed(logs) });
    expect(output).toContain('Not all lines were read');
  });

  test('without anything to do says so', async () => {
    expect((await fake.run([])).output).toContain('There are no dead letters');
  });
});
