import { expect, test } from '@jest/globals';
import { parseTask, userId, workspaceId } from '../../shared/conversation/index.ts';
import { erase, type EraseDeps, sendErasure } from '../../shared/flows/erase.ts';
import { BETWEEN_PAGES_MS } from '../../shared/flows/pages.ts';
import { KeptStage } from '../fakes/stage.ts';

const T1 = workspaceId('T1');

/** An erasure of so many pages, on which each page takes a second. */
function rig(pages: number) {
  const sent: string[] = [];
  const removed: unknown[] = [];
  const whose: unknown[] = [];
  const slept: number[] = [];
  let now = 0;
  const stage = new KeptStage();
  const parts: EraseDeps = {
    erasure: {
      page: async (of, from = '0') => {
        now += 1_000;
        whose.push(of);
        const next = Number(from) + 1;
        return { erased: 1, next: next < pages ? String(next) : undefined };
      },
      threadPage: async (thread) => {
        whose.push(thread);
        return { erased: 1 };
      },
    },
    stage,
    installs: { remove: async (...of) => removed.push(of) > 0 },
    queue: { send: async (body) => void sent.push(body) },
    time: { now: () => now, sleep: async (ms) => void slept.push(ms) },
    log: () => undefined,
    choices: { read: () => Promise.reject(new Error('nothing is set')), layers: async () => ({}) },
  };
  return { parts, sent, removed, whose, slept, stage, clock: () => now };
}

test('a workspace goes in as many tasks as it takes, each where the one before stopped', async () => {
  const { parts, sent, removed, whose, slept, clock } = rig(25);
  await sendErasure('slack', T1, { kind: 'workspace', at: 7 }, 'removed-7', parts.queue);
  let rounds = 0;
  for (let body = sent.shift(); body !== undefined; body = sent.shift()) {
    const task = parseTask(body);
    if (task?.kind !== 'erase') throw new Error('not an erasure');
    rounds += 1;
    await erase(task, parts, { deadline: clock() + 30_000, again: false, last: false });
  }
  expect(rounds).toBe(3);
  expect(whose).toHaveLength(25);
  // The table is left to people in between; behind the last page of a task there is nothing to wait for.
  expect(slept).toEqual(Array.from({ length: 25 - 3 }, () => BETWEEN_PAGES_MS));
  expect(removed[0]).toEqual(['T1', 7]);
});

test("a person's erasure leaves the install alone", async () => {
  const { parts, sent, removed, whose } = rig(1);
  await sendErasure('slack', T1, { kind: 'person', user: userId('U1') }, 'forget-1', parts.queue);
  const task = parseTask(sent[0] ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  await erase(task, parts, { deadline: 1e9, again: false, last: false });
  expect(removed).toEqual([]);
  expect(whose).toEqual([{ platform: 'slack', workspace: 'T1', user: 'U1' }]);
});

test('of an organisation that took the app from some workspaces, these go; the install stays', async () => {
  const { parts, sent, removed, whose } = rig(1);
  const teams = [workspaceId('T11'), workspaceId('T12')];
  await sendErasure('slack', workspaceId('E1'), { kind: 'teams', teams }, 'revoked-1', parts.queue);
  const task = parseTask(sent[0] ?? '');
  if (task?.kind !== 'erase') throw new Error('not an erasure');
  await erase(task, parts, { deadline: 1e9, again: false, last: false });
  expect(removed).toEqual([]);
  expect(whose).toEqual([{ platform: 'slack', workspace: 'E1', teams }]);
});
