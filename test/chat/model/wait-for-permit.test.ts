import { expect, test } from '@jest/globals';
import {
  PrefetchedPermit,
  toHolder,
  waitForPermit,
  readFairShareWeight,
} from '../../../shared/chat/model/wait-for-permit.ts';
import { UNLIMITED_PERMITS } from '../../fakes/permits.ts';
import { TestTime } from '../../upstream/time.ts';
import { TURN } from '../completion-harness.ts';
import { BARE } from '../../fakes/bare-context.ts';
import * as v from 'valibot';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { fakeInteraction, typedCommand } from '../../commands/command-harness.ts';
import { parseSettingValue } from '../../../shared/commands/arguments/setting-value.ts';
import { DEFAULTS } from '../../../shared/ports/index.ts';
import { SETTINGS } from '../../../shared/settings/rules/index.ts';

const ASK = toHolder(TURN.thread, TURN.asker);
const PERMIT = { key: 'key' };

function startWaiting(takeFree = UNLIMITED_PERMITS.takeFree) {
  const time = new TestTime();
  const statuses: string[] = [];
  const release = ({ key }: typeof PERMIT) => Promise.resolve(void statuses.push(key));
  return {
    time,
    statuses,
    early: new PrefetchedPermit(ASK, { permits: { ...UNLIMITED_PERMITS, takeFree, release }, time }),
  };
}

test('a prefetched permit serves one request, and cannot be released after it', async () => {
  const { early, statuses } = startWaiting();
  expect(await early.use()).toEqual(PERMIT);
  expect(await early.use()).toBeUndefined();
  await early.end();
  expect(statuses).toEqual([]);
});

test('a prefetched permit that is not used is released once', async () => {
  const { early, statuses } = startWaiting();
  await early.end();
  await early.end();
  expect(statuses).toEqual(['key']);
  expect(await early.use()).toBeUndefined();
});

test('a prefetched permit is released when the request comes too late for it', async () => {
  const { early, statuses, time } = startWaiting();
  time.advance(501);
  expect(await early.use()).toBeUndefined();
  await early.end();
  expect(statuses).toEqual(['key']);
});

test('a denied prefetched permit costs nothing', async () => {
  const { early, statuses } = startWaiting(() => Promise.resolve(undefined));
  expect(await early.use()).toBeUndefined();
  await early.end();
  expect(statuses).toEqual([]);
});

/** A turn that is always half a second away: those before it do not take theirs. */
async function waitBehindStandstill(canRequeue: boolean) {
  const time = new TestTime();
  const startedAt = time.now();
  const position = {
    key: '',
    rule: { intervalUs: 1, toleranceUs: 1 },
    waiter: { id: 'i', person: '', tag: 0, requestedAtMs: 0, sinceMs: 0, weight: 1 },
    isKept: true,
  };
  const waiting = { kind: 'waiting', place: { key: 'k', position }, waitMs: 500, ahead: 1 } as const;
  const left: string[] = [];
  const stopped = new AbortController();
  const poll = () => {
    // The test ends also if the wait does not.
    if (time.now() - startedAt > 600_000) stopped.abort(new Error('it waits on'));
    return Promise.resolve(waiting);
  };
  const permits = {
    ...UNLIMITED_PERMITS,
    take: () => Promise.resolve(waiting),
    poll,
    leave: () => Promise.resolve(void left.push('left')),
  };
  const error: unknown = await waitForPermit({
    signal: stopped.signal,
    // A person sees a status only for longer waits.
    statusIndicator: { show: () => undefined },
    deadlineMs: startedAt + 60_000,
    canRequeue,
    permitRequest: { ...ASK, id: 'q' },
    context: { permits, time, settings: DEFAULTS },
  }).catch((thrown: unknown) => thrown);
  return { error, waitedMs: time.now() - startedAt, left };
}

test('a question returns to the task queue after a minute, and keeps its place, if the queue stands still', async () => {
  const { error, waitedMs, left } = await waitBehindStandstill(true);
  expect(error).toMatchObject({ name: 'QueuedRequestError', retryAfterMs: 5_000 });
  expect(waitedMs).toBeGreaterThan(60_000);
  expect(waitedMs).toBeLessThan(62_000);
  expect(left).toEqual([]);
});

test('a request that cannot return to the task queue gives up its place a little after its deadline', async () => {
  const { error, waitedMs, left } = await waitBehindStandstill(false);
  expect(error).toMatchObject({ name: 'RateLimitExceededError', retryAfterMs: 500 });
  expect(waitedMs).toBeLessThan(67_000);
  expect(left).toEqual(['left']);
});

const PLACE = { platform: 'slack', workspace: workspaceId('T1') } as const;
const ROLES: Readonly<Record<string, readonly string[]>> = { U3: ['S7'], U4: ['S7', 'S8'] };

function at(favoured: string[], standing = (user: string) => Promise.resolve(ROLES[user] ?? [])) {
  let requestCount = 0;
  const context = {
    settings: { ...DEFAULTS, layers: { workspace: { values: { favoured } } } },
    memberRoles: async (_: unknown, user: string) => {
      requestCount += 1;
      return { admin: false, roles: [...(await standing(user))] };
    },
  };
  return {
    of: (user: string) => readFairShareWeight(PLACE, userId(user), context),
    requestCount: () => requestCount,
  };
}

test('a favoured person, role or group has twice the share or the given share; the highest of several counts', async () => {
  const { of } = at(['U2', '&S7*3', 'S8*0.5', 'U5*0.5']);
  const weights = await Promise.all(['U1', 'U2', 'U22', 'U3', 'U4', 'U5'].map(of));
  expect(weights).toEqual([1, 2, 1, 3, 3, 0.5]);
});

test('nobody is looked up when nobody is favoured; user ids count when roles cannot be read', async () => {
  const nobody = at([]);
  expect(await nobody.of('U3')).toBe(1);
  expect(nobody.requestCount()).toBe(0);
  const silent = at(['U3', 'S7*3'], () => Promise.reject(new Error('the platform is silent')));
  expect(await silent.of('U3')).toBe(2);
});

test('the setting `favoured` accepts people and groups as each platform writes them', async () => {
  const called = {
    interaction: fakeInteraction(typedCommand('settings')),
    locale: 'en',
    admin: true,
    payload: typedCommand(''),
  } as const;
  const slack = await parseSettingValue(called, BARE, 'favoured', '<@U2> <!subteam^S7|@gold>*3, U4*0.5');
  expect(slack).toEqual({ value: ['U2', 'S7*3', 'U4*0.5'] });
  const onDiscord = { ...called, interaction: { ...called.interaction, platform: 'discord' as const } };
  const discord = await parseSettingValue(onDiscord, BARE, 'favoured', '<@41> <@&301>*0.5');
  expect(discord).toEqual({ value: ['41', '&301*0.5'] });
  for (const read of [slack, discord])
    expect(v.is(SETTINGS.favoured.schema, 'value' in read ? read.value : undefined)).toBe(true);
  expect(v.is(SETTINGS.favoured.schema, ['U2*many'])).toBe(false);
});
