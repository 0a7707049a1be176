import { BARE } from '../fakes/bare-context.ts';
import { expect, test } from '@jest/globals';
import { channelId, type EraseTask, parseTask, userId, workspaceId } from '../../shared/domain/index.ts';
import {
  erase,
  type EraseContext,
  enqueueDocumentErasure,
  enqueueErasure,
} from '../../shared/privacy/erase.ts';
import { ErasureMoments } from '../../shared/storage/index.ts';
import { PAGE_INTERVAL_MS } from '../../shared/privacy/scan-throttle.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { fakeInteraction } from '../commands/command-harness.ts';

const T1 = workspaceId('T1');

/** An erasure of `pages` pages; each takes a second. `others`: whether another task scans the table. */
function harness(pages: number, { byScan = true, others = (): boolean => false } = {}) {
  const queue: string[] = [];
  const removed: unknown[] = [];
  const scopes: unknown[] = [];
  const pauses: number[] = [];
  const events: string[] = [];
  const holders = new Set<string>();
  let now = 0;
  const messenger = new FakeMessenger();
  const context: EraseContext = {
    ...BARE,
    schedules: { list: async () => [], remove: async () => undefined },
    erasure: {
      ...BARE.erasure,
      page: async (scope, from = '0') => {
        now += 1_000;
        scopes.push(scope);
        const next = Number(from) + 1;
        return { erased: 1, next: next < pages ? String(next) : undefined };
      },
      scans: async ({ user }) => user === undefined || byScan,
      threadPage: async (thread) => {
        scopes.push(thread);
        return { erased: 1 };
      },
    },
    erasureMoments: {
      record: async () => undefined,
      find: async () => undefined,
      findForPeople: async () => new Map(),
    },
    messenger,
    installs: { remove: async (...args) => removed.push(args) > 0 },
    queue: { send: async (body) => void queue.push(body) },
    time: { now: () => now, sleep: async (ms) => void pauses.push(ms) },
    log: (event) => void events.push(event),
    scanLease: {
      take: async (holder) => {
        holders.add(holder);
        return !others();
      },
      release: async (holder) => void holders.delete(holder),
    },
    settingsStore: { read: () => Promise.reject(new Error('nothing is set')), layers: async () => ({}) },
  };
  return { context, queue, removed, scopes, pauses, messenger, events, holders, clock: () => now };
}

test('the erasure of a workspace continues in further tasks, each from the last page', async () => {
  const { context, queue, removed, scopes, pauses, clock, holders } = harness(25);
  await enqueueErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', context.queue);
  let rounds = 0;
  for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
    const task = parseErasure(body);
    if (task.secondPass) break;
    rounds += 1;
    await erase(task, context, { deadline: clock() + 30_000, isRedelivery: false, isLast: false });
  }
  expect(rounds).toBe(3);
  expect(scopes).toHaveLength(25);
  // A pause between two pages leaves the table's capacity to others; none follows the last page of a task.
  expect(pauses).toEqual(Array.from({ length: 25 - 3 }, () => PAGE_INTERVAL_MS));
  expect(removed[0]).toEqual(['T1', 7]);
  expect(holders.size).toBe(0);
});

test('an erasure whose pause does not fit into the delivery continues in another task', async () => {
  const { context, queue, scopes, pauses, clock } = harness(9);
  const page = async () => {
    scopes.push(undefined);
    return { erased: 1, next: scopes.length < 3 ? '1' : undefined, pauseMs: 25_000 };
  };
  await enqueueErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', context.queue);
  const erasure = { ...context.erasure, page };
  const delivery = { deadline: clock() + 40_000, isRedelivery: false, isLast: false };
  await erase(parseErasure(queue.shift()), { ...context, erasure }, delivery);
  expect([scopes.length, pauses]).toEqual([1, []]);
  expect(parseErasure(queue.shift())).toMatchObject({ cursor: '1', round: 1 });
});

test('a second pass erases earlier questions that were still in flight', async () => {
  const { context, queue, scopes, clock } = harness(2);
  await enqueueErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', context.queue);
  const delivery = { deadline: 1e9, isRedelivery: false, isLast: false };
  await erase(parseErasure(queue.shift()), context, delivery);
  const second = parseErasure(queue.shift());
  const dueAt = clock() + 4 * 60_000;
  expect(second).toMatchObject({ secondPass: { dueAt, sentUntil: 7 } });
  expect(await erase(second, context, delivery)).toEqual({ kind: 'later', afterMs: 4 * 60_000 });
  expect(scopes).toHaveLength(2);
  const laterContext = { ...context, time: { ...context.time, now: () => dueAt } };
  expect(await erase(second, laterContext, delivery)).toEqual({ kind: 'done' });
  expect(scopes.slice(2)).toEqual(
    Array.from({ length: 2 }, () => ({ platform: 'slack', workspace: 'T1', sentUntil: 7 })),
  );
  expect(queue).toEqual([]);
});

test('an erasure counts from its request, also if the clock of the process that erases was set back', async () => {
  const { context, queue } = harness(1, { byScan: false });
  const recorded: number[] = [];
  const moments = {
    ...context.erasureMoments,
    record: async (_: unknown, at: number) => void recorded.push(at),
  };
  const requester = {
    ...fakeInteraction({ kind: 'command', name: '/parley', options: {}, attachments: [] }),
    receivedAt: 7_000,
  };
  const scope = { kind: 'person', user: userId('U1') } as const;
  await enqueueErasure('slack', T1, scope, 'forget-1', context.queue, requester);
  const task = parseErasure(queue.shift());
  const delivery = { deadline: 1e9, isRedelivery: false, isLast: false };
  for (const at of [2_000, 9_000]) {
    const time = { ...context.time, now: () => at };
    await erase(task, { ...context, time, erasureMoments: moments }, delivery);
  }
  expect(recorded).toEqual([7_000, 9_000]);
});

test('while an erasure waits for another task, its moment stays; another request has a later one', async () => {
  const { context, queue } = harness(1, { others: () => true });
  const erasureMoments = new ErasureMoments({ dynamo: createMemoryDynamo(), table: 'conversations' });
  const scope = { kind: 'person', user: userId('U1') } as const;
  const deliver = async (task: EraseTask, at: number) => {
    const time = { ...context.time, now: () => at };
    const delivery = { deadline: 1e9, isRedelivery: true, isLast: false };
    expect(await erase(task, { ...context, time, erasureMoments }, delivery)).toMatchObject({
      kind: 'later',
    });
    return erasureMoments.find({ platform: 'slack', workspace: T1, user: scope.user });
  };
  const request = async (id: string, receivedAt: number) => {
    const interaction = fakeInteraction({ kind: 'command', name: '/parley', options: {}, attachments: [] });
    const requester = { ...interaction, receivedAt };
    await enqueueErasure('slack', T1, scope, id, context.queue, requester);
    return parseErasure(queue.shift());
  };
  const first = await request('forget-1', 7_000);
  expect([await deliver(first, 8_000), await deliver(first, 38_000)]).toEqual([8_000, 8_000]);
  const second = await request('forget-2', 40_000);
  expect([await deliver(second, 41_000), await deliver(first, 68_000)]).toEqual([41_000, 41_000]);
});

test('a second pass over a person erases what they wrote before, and tells nobody', async () => {
  const { context, queue, scopes, messenger, clock } = harness(1, { byScan: false });
  const moments = { ...context.erasureMoments, find: async () => 5 };
  const requester = fakeInteraction({ kind: 'command', name: '/parley', options: {}, attachments: [] });
  const scope = { kind: 'person', user: userId('U1') } as const;
  await enqueueErasure('slack', T1, scope, 'forget-1', context.queue, requester);
  const delivery = { deadline: 1e9, isRedelivery: false, isLast: false };
  await erase(parseErasure(queue.shift()), { ...context, erasureMoments: moments }, delivery);
  expect(messenger.answers).toHaveLength(1);
  const second = parseErasure(queue.shift());
  const dueAt = clock() + 4 * 60_000;
  expect(second.secondPass).toEqual({ dueAt, sentUntil: 5 });
  await erase(second, { ...context, time: { ...context.time, now: () => dueAt } }, delivery);
  expect(scopes).toEqual(
    [undefined, 5].map((sentUntil) => ({ platform: 'slack', workspace: 'T1', user: 'U1', sentUntil })),
  );
  expect([messenger.answers.length, queue]).toEqual([1, []]);
});

test('a removed document is removed again four minutes later, and its parts only', async () => {
  const { context, queue, clock } = harness(1);
  const place = { platform: 'slack', workspace: T1, channel: channelId('C1') } as const;
  await enqueueDocumentErasure(place, 'U1.a', { queue: context.queue, now: clock });
  const task = parseErasure(queue.shift());
  const removed: string[] = [];
  const collections = {
    ...context.collections,
    removeParts: async ({ channel }: typeof place, id: string) => void removed.push(`${channel} ${id}`),
  };
  const delivery = { deadline: 1e9, isRedelivery: false, isLast: false };
  const waits = await erase(task, { ...context, collections }, delivery);
  expect([waits, removed]).toEqual([{ kind: 'later', afterMs: 4 * 60_000 }, []]);
  const time = { ...context.time, now: () => clock() + 4 * 60_000 };
  expect(await erase(task, { ...context, collections, time }, delivery)).toEqual({ kind: 'done' });
  expect([removed, queue]).toEqual([['C1 U1.a'], []]);
});

const parseErasure = (body: string | undefined) => {
  const task = parseTask(body ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  return task;
};

test('while another task scans the table, an erasure waits and notifies the requester once', async () => {
  let busy = true;
  const { context, queue, scopes, messenger, events } = harness(1, { others: () => busy });
  const requester = fakeInteraction({ kind: 'command', name: '/parley', options: {}, attachments: [] });
  const scope = { kind: 'person', user: userId('U1') } as const;
  await enqueueErasure('slack', T1, scope, 'forget-1', context.queue, requester);
  const task = parseErasure(queue.shift());
  const deliver = (isRedelivery: boolean, isLast: boolean, delivered = task) =>
    erase(delivered, context, { deadline: 1e9, isRedelivery, isLast });
  expect(await deliver(false, false)).toEqual({ kind: 'later', afterMs: 30_000 });
  expect(await deliver(true, false)).toEqual({ kind: 'later', afterMs: 30_000 });
  expect(messenger.answers.map(({ card }) => JSON.stringify(card))).toEqual([
    expect.stringContaining('Yours starts after it'),
  ]);
  // There is no deadline: before the queue gives the task up, it continues as another one.
  expect(await deliver(true, true)).toEqual({ kind: 'done' });
  const next = parseErasure(queue.shift());
  expect(await deliver(false, false, next)).toEqual({ kind: 'later', afterMs: 30_000 });
  expect([messenger.answers.length, scopes]).toEqual([1, []]);
  expect(events).toEqual(['scan.waiting', 'scan.waiting', 'scan.waiting', 'scan.waiting']);
  busy = false;
  await deliver(true, false, next);
  expect(scopes).toHaveLength(1);
  expect(JSON.stringify(messenger.answers.at(-1)?.card)).toContain('Done');
});

test('an erasure that loses the lease continues from the last page', async () => {
  let pages = 0;
  const { context, queue, scopes } = harness(4, { others: () => (pages += 1) === 3 });
  await enqueueErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', context.queue);
  for (let body = queue.shift(); body !== undefined; body = queue.shift())
    await erase(parseErasure(body), context, { deadline: 1e9, isRedelivery: false, isLast: false });
  expect(scopes).toHaveLength(4);
});

test('an erasure by the person index waits for no other task', async () => {
  const { context, queue, scopes, holders } = harness(2, { byScan: false, others: () => true });
  await enqueueErasure('slack', T1, { kind: 'person', user: userId('U1') }, 'forget-1', context.queue);
  expect(
    await erase(parseErasure(queue[0]), context, { deadline: 1e9, isRedelivery: false, isLast: false }),
  ).toEqual({
    kind: 'done',
  });
  expect([scopes.length, holders.size]).toEqual([2, 0]);
});

test('the erasure of a person keeps the install', async () => {
  const { context, queue, removed, scopes } = harness(1);
  await enqueueErasure('slack', T1, { kind: 'person', user: userId('U1') }, 'forget-1', context.queue);
  const task = parseTask(queue[0] ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  await erase(task, context, { deadline: 1e9, isRedelivery: false, isLast: false });
  expect(removed).toEqual([]);
  expect(scopes).toEqual([{ platform: 'slack', workspace: 'T1', user: 'U1' }]);
});

test('if an organization removes the app from some workspaces, these are erased and the install stays', async () => {
  const { context, queue, removed, scopes } = harness(1);
  const teams = [workspaceId('T11'), workspaceId('T12')];
  await enqueueErasure('slack', workspaceId('E1'), { kind: 'teams', teams }, 'revoked-1', context.queue);
  const task = parseTask(queue[0] ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  await erase(task, context, { deadline: 1e9, isRedelivery: false, isLast: false });
  expect(removed).toEqual([]);
  expect(scopes).toEqual([{ platform: 'slack', workspace: 'E1', teams }]);
});
