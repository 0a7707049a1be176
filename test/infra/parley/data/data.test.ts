import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageId, parseTask, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { Jobs } from '../../../../shared/storage/index.ts';
import { type DataSubject, parseSubject } from '../../../../infra/parley/data/data-subject.ts';
import { writeExport } from '../../../../infra/parley/data/data-commands.ts';
import { enqueueSubjectErasure } from '../../../../infra/parley/data/enqueue-erasure.ts';
import { countData, readData } from '../../../../infra/parley/data/read-data.ts';
import { createMemoryDynamo } from '../../../fakes/dynamo.ts';
import { scratch } from '../../local/sample-template.ts';

const KEY = 'slack#T1#C1#1700000000.000100';

describe('a subject', () => {
  test.each([
    ['person', 'slack:T0123456789:U0123456789', { workspace: 'T0123456789', user: 'U0123456789' }],
    ['workspace', 'discord:201000000000000001', { platform: 'discord', workspace: '201000000000000001' }],
    ['thread', KEY, { thread: { workspace: 'T1', channel: 'C1', root: '1700000000.000100' } }],
    [
      'thread',
      'https://acme.slack.com/archives/C1/p1700000009000200?thread_ts=1700000000.000100',
      { thread: { workspace: 'TEAM', channel: 'C1', root: '1700000000.000100' } },
    ],
  ] as const)('%s %s is understood', (kind, input, expected) => {
    expect(parseSubject(kind, input, 'TEAM')).toMatchObject(expected);
  });

  test.each([
    ['person', 'slack:T0123456789'],
    ['person', 'slack:T0123456789:U0123456789:more'],
    ['person', 'irc:T0123456789:U0123456789'],
    ['workspace', 'slack:T0123456789:U0123456789'],
    ['workspace', 'slack:'],
    ['workspace', 'slack:T#1'],
    ['thread', 'slack#T1#C1'],
    ['thread', 'hello'],
  ] as const)('%s %s is refused', (kind, input) => {
    expect(parseSubject(kind, input, 'TEAM')).toBeUndefined();
  });

  test('of a Slack link without a known workspace is refused', () => {
    expect(
      parseSubject('thread', 'https://acme.slack.com/archives/C1/p1700000009000200', undefined),
    ).toBeUndefined();
  });
});

const ITEMS = [
  {
    pk: { S: KEY },
    sk: { S: 'TURN#00000000001.000' },
    id: { S: '1.0' },
    by: { S: 'U1' },
    ws: { S: 'T1' },
    ttl: { N: '99999999999' },
  },
  { pk: { S: 'ACCOUNT#slack#T1' }, sk: { S: 'D#2026-11-23#person#U1' }, ttl: { N: '99999999999' } },
  { pk: { S: 'slack#T12#C1#1.0' }, sk: { S: 'TURN#1' }, ttl: { N: '99999999999' } },
  { pk: { S: KEY }, sk: { S: 'TURN#old' }, ttl: { N: '1' } },
];
/** A table with these items, of which only scans are asked. */
const sources = (fail = false) => ({
  table: 'C',
  now: () => 1_000_000,
  pause: async () => undefined,
  dynamo: {
    get: async () => ({}),
    query: async () => ({ Items: [] }),
    put: async () => undefined,
    update: async () => ({}),
    delete: async () => undefined,
  },
  scan: async ({ ExclusiveStartKey }: { readonly ExclusiveStartKey?: unknown }) => {
    if (fail) throw new Error('the table is gone');
    return ExclusiveStartKey
      ? { Items: ITEMS.slice(1) }
      : { Items: ITEMS.slice(0, 1), LastEvaluatedKey: { pk: { S: 'a' }, sk: { S: 'b' } } };
  },
});
const WORKSPACE = parseSubject('workspace', 'slack:T123', undefined);
const subject = () => {
  if (WORKSPACE?.kind !== 'workspace') throw new Error('no subject');
  return { ...WORKSPACE, workspace: workspaceId('T1') };
};

describe('export and forget', () => {
  let folder: ReturnType<typeof scratch>;
  beforeEach(() => {
    folder = scratch();
  });
  afterEach(() => folder.remove());

  test('a workspace is written completely, without expired items and those of others, for this user only', async () => {
    const out = join(folder.directory, 'all.json');
    expect(await writeExport(subject(), sources(), out)).toBe(2);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      about: { platform: 'slack', workspace: 'T1' },
      entries: [{ in: KEY }, { in: 'ACCOUNT#slack#T1' }],
      complete: true,
    });
  });

  test('a failure leaves the former file, and no part', async () => {
    const out = join(folder.directory, 'all.json');
    writeFileSync(out, 'before');
    await expect(writeExport(subject(), sources(true), out)).rejects.toThrow('the table is gone');
    expect(readFileSync(out, 'utf8')).toBe('before');
    expect(existsSync(`${out}.${process.pid}.part`)).toBe(false);
  });

  test('a folder that does not exist is named', async () => {
    await expect(writeExport(subject(), sources(), join(folder.directory, 'no', 'all.json'))).rejects.toThrow(
      'could not be written (ENOENT)',
    );
  });

  test('what would be erased is counted by its kind', async () => {
    expect([...(await countData(subject(), sources()))]).toEqual([
      ['questions with their answers', 1],
      ['accounts (numbers only)', 1],
    ]);
  });

  test('of a person: the prompts of their videos only where these have no words of others', async () => {
    const dynamo = createMemoryDynamo();
    const jobs = new Jobs({ dynamo, table: 'C', days: 30, now: () => 1_000_000 });
    const person = parseSubject('person', 'slack:T0123456789:U0123456789', undefined);
    const thread = parseSubject('thread', KEY, undefined);
    if (person?.kind !== 'person' || thread?.kind !== 'thread') throw new Error('no subject');
    const job = {
      by: person,
      thread: thread.thread,
      requestMessage: messageId('1.1'),
      state: 'delivered' as const,
      model: 'm',
      key: 'k',
    };
    await jobs.create('one', { ...job, prompt: 'A cat.' });
    await jobs.create('two', { ...job, prompt: 'Words of Grace.', promptAuthors: [userId('U2')] });
    const table = { ...sources(), dynamo, scan: async () => ({}) };
    const promptsOf = async (one: DataSubject) => {
      const prompts = new Set<unknown>();
      for await (const page of readData(one, table))
        for (const { in: place, prompt } of page) if (place === 'videos') prompts.add(prompt);
      return prompts;
    };
    expect(await promptsOf(person)).toEqual(new Set(['A cat.', undefined]));
    expect(await promptsOf(thread)).toEqual(new Set(['A cat.', 'Words of Grace.']));
  });

  test.each([
    ['person', 'slack:T0123456789:U0123456789', { kind: 'person', user: 'U0123456789' }],
    ['workspace', 'slack:T0123456789', { kind: 'workspace', at: 5 }],
    ['thread', KEY, { kind: 'thread' }],
  ] as const)('the erasure of a %s is the task that the bot has for it', async (kind, input, scope) => {
    const sent: string[] = [];
    const parsed = parseSubject(kind, input, undefined);
    if (!parsed) throw new Error('no subject');
    await enqueueSubjectErasure(parsed, undefined, { send: async (body) => void sent.push(body) }, 5);
    expect(sent.map(parseTask)).toMatchObject([{ kind: 'erase', scope, round: 0 }]);
  });
});
