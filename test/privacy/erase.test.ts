import { BARE } from '../fakes/bare-context.ts';
import { expect, test } from '@jest/globals';
import { parseTask, userId, workspaceId } from '../../shared/domain/index.ts';
import { erase, type EraseContext, sendErasure } from '../../shared/privacy/erase.ts';
import { PAGE_INTERVAL_MS } from '../../shared/privacy/scan-throttle.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { invocation } from '../commands/called.ts';

const T1 = workspaceId('T1');

/** An erasure of so many pages, on which each page takes a second. `others`: whether somebody else reads the table just now. */
function rig(pages: number, { byScan = true, others = (): boolean => false } = {}) {
  const sent: string[] = [];
  const removed: unknown[] = [];
  const whose: unknown[] = [];
  const slept: number[] = [];
  const logged: string[] = [];
  const moments: unknown[] = [];
  const holders = new Set<string>();
  let now = 0;
  const stage = new FakeMessenger();
  const parts: EraseContext = {
    ...BARE,
    erasure: {
      page: async (of, from = '0') => {
        now += 1_000;
        whose.push(of);
        const next = Number(from) + 1;
        return { erased: 1, next: next < pages ? String(next) : undefined };
      },
      scans: async ({ user }) => user === undefined || byScan,
      threadPage: async (thread) => {
        whose.push(thread);
        return { erased: 1 };
      },
    },
    erasureMoments: {
      record: async (subject, at) => void moments.push([subject, at]),
      find: async () => undefined,
      findForPeople: async () => new Map(),
    },
    messenger: stage,
    installs: { remove: async (...of) => removed.push(of) > 0 },
    queue: { send: async (body) => void sent.push(body) },
    time: { now: () => now, sleep: async (ms) => void slept.push(ms) },
    log: (event) => void logged.push(event),
    scanLease: {
      take: async (holder) => {
        holders.add(holder);
        return !others();
      },
      release: async (holder) => void holders.delete(holder),
    },
    settingsStore: { read: () => Promise.reject(new Error('nothing is set')), layers: async () => ({}) },
  };
  return { parts, moments, sent, removed, whose, slept, stage, logged, holders, clock: () => now };
}

test('a workspace goes in as many tasks as it takes, each where the one before stopped', async () => {
  const { parts, sent, removed, whose, slept, clock, holders } = rig(25);
  await sendErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', parts.queue);
  let rounds = 0;
  for (let body = sent.shift(); body !== undefined; body = sent.shift()) {
    const task = erasureIn(body);
    if (task.secondPass) break;
    rounds += 1;
    await erase(task, parts, { deadline: clock() + 30_000, isRedelivery: false, isLast: false });
  }
  expect(rounds).toBe(3);
  expect(whose).toHaveLength(25);
  // The table is left to people in between; behind the last page of a task there is nothing to wait for.
  expect(slept).toEqual(Array.from({ length: 25 - 3 }, () => PAGE_INTERVAL_MS));
  expect(removed[0]).toEqual(['T1', 7]);
  expect(holders.size).toBe(0);
});

test('the workspace is searched again for questions from before, once writes in flight have arrived', async () => {
  const { parts, sent, whose, clock } = rig(2);
  await sendErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', parts.queue);
  const delivery = { deadline: 1e9, isRedelivery: false, isLast: false };
  await erase(erasureIn(sent.shift()), parts, delivery);
  const second = erasureIn(sent.shift());
  const dueAt = clock() + 4 * 60_000;
  expect(second).toMatchObject({ secondPass: { dueAt, sentUntil: 7 } });
  expect(await erase(second, parts, delivery)).toEqual({ kind: 'later', afterMs: 4 * 60_000 });
  expect(whose).toHaveLength(2);
  const late = { ...parts, time: { ...parts.time, now: () => dueAt } };
  expect(await erase(second, late, delivery)).toEqual({ kind: 'done' });
  expect(whose.slice(2)).toEqual(
    Array.from({ length: 2 }, () => ({ platform: 'slack', workspace: 'T1', sentUntil: 7 })),
  );
  expect(sent).toEqual([]);
});

const erasureIn = (body: string | undefined) => {
  const task = parseTask(body ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  return task;
};

test('while somebody else reads the table, an erasure waits, and whoever wants it is told once', async () => {
  let busy = true;
  const { parts, sent, whose, stage, logged } = rig(1, { others: () => busy });
  const wanted = invocation({ kind: 'command', name: '/parley', options: {}, attachments: [] });
  const of = { kind: 'person', user: userId('U1') } as const;
  await sendErasure('slack', T1, of, 'forget-1', parts.queue, wanted);
  const task = erasureIn(sent.shift());
  const deliver = (again: boolean, last: boolean, one = task) =>
    erase(one, parts, { deadline: 1e9, isRedelivery: again, isLast: last });
  expect(await deliver(false, false)).toEqual({ kind: 'later', afterMs: 30_000 });
  expect(await deliver(true, false)).toEqual({ kind: 'later', afterMs: 30_000 });
  expect(stage.answers.map(({ card }) => JSON.stringify(card))).toEqual([
    expect.stringContaining('your turn after that'),
  ]);
  // However long it takes: a task that the queue would give up goes on as another.
  expect(await deliver(true, true)).toEqual({ kind: 'done' });
  const next = erasureIn(sent.shift());
  expect(await deliver(false, false, next)).toEqual({ kind: 'later', afterMs: 30_000 });
  expect([stage.answers.length, whose]).toEqual([1, []]);
  expect(logged).toEqual(['scan.waiting', 'scan.waiting', 'scan.waiting', 'scan.waiting']);
  busy = false;
  await deliver(true, false, next);
  expect(whose).toHaveLength(1);
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('Done');
});

test('an erasure that loses the lease goes on where it stopped', async () => {
  let pages = 0;
  const { parts, sent, whose } = rig(4, { others: () => (pages += 1) === 3 });
  await sendErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', parts.queue);
  for (let body = sent.shift(); body !== undefined; body = sent.shift())
    await erase(erasureIn(body), parts, { deadline: 1e9, isRedelivery: false, isLast: false });
  expect(whose).toHaveLength(4);
});

test('what goes by the index waits for nobody', async () => {
  const { parts, sent, whose, holders } = rig(2, { byScan: false, others: () => true });
  await sendErasure('slack', T1, { kind: 'person', user: userId('U1') }, 'forget-1', parts.queue);
  expect(
    await erase(erasureIn(sent[0]), parts, { deadline: 1e9, isRedelivery: false, isLast: false }),
  ).toEqual({
    kind: 'done',
  });
  expect([whose.length, holders.size]).toEqual([2, 0]);
});

test("a person's erasure leaves the install alone", async () => {
  const { parts, sent, removed, whose } = rig(1);
  await sendErasure('slack', T1, { kind: 'person', user: userId('U1') }, 'forget-1', parts.queue);
  const task = parseTask(sent[0] ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  await erase(task, parts, { deadline: 1e9, isRedelivery: false, isLast: false });
  expect(removed).toEqual([]);
  expect(whose).toEqual([{ platform: 'slack', workspace: 'T1', user: 'U1' }]);
});

test('of an organisation that took the app from some workspaces, these go; the install stays', async () => {
  const { parts, sent, removed, whose } = rig(1);
  const teams = [workspaceId('T11'), workspaceId('T12')];
  await sendErasure('slack', workspaceId('E1'), { kind: 'teams', teams }, 'revoked-1', parts.queue);
  const task = parseTask(sent[0] ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  await erase(task, parts, { deadline: 1e9, isRedelivery: false, isLast: false });
  expect(removed).toEqual([]);
  expect(whose).toEqual([{ platform: 'slack', workspace: 'E1', teams }]);
});
