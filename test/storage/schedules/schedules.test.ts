import { beforeEach, expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { type Schedule, Schedules } from '../../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../../fakes/dynamo.ts';

const NOW = 1_790_000_000_000;
const T1 = { platform: 'slack', workspace: workspaceId('T1') } as const;
const WEEKLY: Schedule = {
  ...T1,
  id: 'weekly-U1',
  content: { kind: 'weekly-summary' },
  by: userId('U1'),
  channel: undefined,
  recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'UTC' },
  locale: undefined,
  dueMs: NOW,
  failures: 0,
};

let dynamo: MemoryDynamo;
let schedules: Schedules;

beforeEach(() => {
  dynamo = createMemoryDynamo();
  schedules = new Schedules({ dynamo, table: 'conversations', now: () => NOW });
});

test('a schedule is due from its time on', async () => {
  await schedules.save({ ...WEEKLY, id: 'later', dueMs: NOW + 1_000 });
  await schedules.save(WEEKLY);
  await schedules.save({ ...WEEKLY, id: 'first', dueMs: NOW - 60_000 });
  expect((await schedules.listDue(10)).map(({ id }) => id)).toEqual(['first', 'weekly-U1']);
  expect((await schedules.listDue(1)).map(({ id }) => id)).toEqual(['first']);
});

test('a run is ended once, and only if the schedule is as it was read', async () => {
  await schedules.save(WEEKLY);
  const next = { dueMs: NOW + 1_000, failures: 2 };
  expect(await schedules.advance(WEEKLY, next)).toBe(true);
  expect(await schedules.advance(WEEKLY, next)).toBe(false);
  expect(await schedules.find(T1, WEEKLY.id)).toEqual({ ...WEEKLY, ...next });
  await schedules.remove(T1, WEEKLY.id);
  // It does not come back.
  expect(await schedules.advance({ ...WEEKLY, ...next }, next)).toBe(false);
  expect(await schedules.find(T1, WEEKLY.id)).toBeUndefined();
});

test('a paused schedule is never due; a removed one is not resumed', async () => {
  const prompt: Schedule = { ...WEEKLY, content: { kind: 'prompt', prompt: 'News?' } };
  await schedules.save(prompt);
  expect(await schedules.reschedule(prompt, { dueMs: NOW, isPaused: true })).toBe(true);
  expect(await schedules.listDue(10)).toEqual([]);
  const paused = await schedules.find(T1, prompt.id);
  expect(paused).toEqual({ ...prompt, isPaused: true });
  if (!paused) return;
  // A run that was in progress when it was paused.
  await schedules.advance(paused, { dueMs: NOW - 1_000, failures: 0 });
  expect(await schedules.listDue(10)).toEqual([]);
  const resumed = { ...paused, dueMs: NOW - 1_000, isPaused: false };
  expect(await schedules.reschedule(resumed, resumed)).toBe(true);
  expect(await schedules.listDue(10)).toEqual([resumed]);
  await schedules.remove(T1, prompt.id);
  expect(await schedules.reschedule(resumed, resumed)).toBe(false);
  expect(await schedules.find(T1, prompt.id)).toBeUndefined();
});

test('workspaces have their own schedules', async () => {
  const T2 = { ...T1, workspace: workspaceId('T2') };
  await schedules.save(WEEKLY);
  await schedules.save({ ...WEEKLY, ...T2, dueMs: NOW + 1_000 });
  expect(await schedules.list(T1)).toEqual([WEEKLY]);
  await schedules.remove(T2, WEEKLY.id);
  expect(await schedules.list(T1)).toEqual([WEEKLY]);
});

test('a schedule of a later version hides no other one', async () => {
  await schedules.save(WEEKLY);
  const Item = {
    pk: { S: 'SCHEDULE#slack#T1' },
    sk: { S: 'prompt-1' },
    by: { S: 'U1' },
    body: { S: JSON.stringify({ ...WEEKLY, content: { kind: 'of-a-later-version' } }) },
    open: { S: 'schedule' },
    due: { N: '1' },
  };
  await dynamo.put({ TableName: 'conversations', Item });
  const unreadable: string[] = [];
  expect(await schedules.listDue(10, (id) => void unreadable.push(id))).toEqual([WEEKLY]);
  expect(unreadable).toEqual(['prompt-1']);
  expect(await schedules.list(T1)).toEqual([WEEKLY]);
});

test('hundreds of schedules of a later version do not hold up the others', async () => {
  for (let n = 0; n < 25; n += 1)
    await dynamo.put({
      TableName: 'conversations',
      Item: {
        pk: { S: 'SCHEDULE#slack#T1' },
        sk: { S: `later-${n}` },
        by: { S: 'U1' },
        body: { S: '{}' },
        open: { S: 'schedule' },
        due: { N: String(n + 1) },
      },
    });
  await schedules.save(WEEKLY);
  await schedules.save({ ...WEEKLY, id: 'another' });
  const unreadable: string[] = [];
  const due = await schedules.listDue(10, (id) => void unreadable.push(id));
  expect(due.map(({ id }) => id).toSorted()).toEqual(['another', WEEKLY.id]);
  expect(new Set(unreadable).size).toBe(25);
  expect(unreadable).toHaveLength(25);
});

test('a schedule in a time zone that this system does not know is listed, but not due', async () => {
  const unknown: Schedule = {
    ...WEEKLY,
    id: 'unknown',
    recurrence: { ...WEEKLY.recurrence, zone: 'Mars/Base' },
  };
  await schedules.save(unknown);
  await schedules.save(WEEKLY);
  expect(await schedules.find(T1, 'unknown')).toEqual(unknown);
  expect(await schedules.list(T1)).toEqual([unknown, WEEKLY]);
  const unreadable: string[] = [];
  expect(await schedules.listDue(10, (id) => void unreadable.push(id))).toEqual([WEEKLY]);
  expect(unreadable).toEqual(['unknown']);
});
