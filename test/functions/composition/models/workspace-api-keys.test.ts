import { expect, test } from '@jest/globals';
import { withOtherKeys, createKeys } from '../../../../functions/composition/models/api-keys.ts';
import { getKeyFingerprint } from '../../../../shared/aws/index.ts';
import { withOwnKeys } from '../../../../functions/composition/models/workspace-api-keys.ts';
import { userId, workspaceId } from '../../../../shared/domain/index.ts';
import { AuthError, QuotaError } from '../../../../shared/upstream/index.ts';
import { type KeyPlace, WorkspaceKeys } from '../../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../../fakes/dynamo.ts';
import { plainEncryptor } from '../../../fakes/plain-encryptor.ts';

const T1: KeyPlace = { platform: 'slack', workspace: workspaceId('T1') };
const T2: KeyPlace = { platform: 'slack', workspace: workspaceId('T2') };
const OURS = 'sk-deployment';

function harness({ more = [] }: { readonly more?: readonly string[] } = {}) {
  const dynamo = createMemoryDynamo();
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const store = new WorkspaceKeys({ dynamo, table: 'conversations', encryptor: plainEncryptor, now });
  const pool = createKeys(
    {
      load: async () => ({ apiKey: OURS, more: [...more] }),
      refresh: async () => ({ apiKey: OURS, more: [...more] }),
    },
    now,
  );
  const notified: string[] = [];
  const onKeyRemoved = async ({ workspace }: KeyPlace, { owner }: { owner: string }) =>
    void notified.push(`${workspace}:${owner}`);
  const reads = { broken: false, count: 0 };
  const watched = {
    decrypt: store.decrypt.bind(store),
    markRejected: store.markRejected.bind(store),
    find: async (home: KeyPlace) => {
      reads.count += 1;
      if (reads.broken) throw new Error('the table is gone');
      return store.find(home);
    },
  };
  /** Another process with an empty cache. */
  const worker = () => withOwnKeys(pool, { store: watched, now, log: () => undefined, onKeyRemoved });
  const save = (value: string, home = T1) =>
    store.save(home, { name: getKeyFingerprint(value), value, owner: userId('UADA') });
  return { clock, worker, save, notified, reads };
}

test('a workspace uses its own key, the others use that of the deployment; a key is read once a minute', async () => {
  const { worker, save, reads, clock } = harness();
  await save('sk-theirs');
  const keys = worker();
  for (let i = 0; i < 5; i += 1) expect(await keys.names(T1)).toEqual([getKeyFingerprint('sk-theirs')]);
  expect(await keys.value(getKeyFingerprint('sk-theirs'), false)).toBe('sk-theirs');
  expect([await keys.names(T2), await keys.names()]).toEqual([
    [getKeyFingerprint(OURS)],
    [getKeyFingerprint(OURS)],
  ]);
  expect(await keys.value(getKeyFingerprint(OURS), false)).toBe(OURS);
  expect(reads.count).toBe(2);
  reads.broken = true;
  clock.now += 120_000;
  // The table is unavailable: the cached key is used.
  expect([await keys.names(T1), await keys.names(T2)]).toEqual([
    [getKeyFingerprint('sk-theirs')],
    [getKeyFingerprint(OURS)],
  ]);
});

const home = (n: number): KeyPlace => ({ platform: 'slack', workspace: workspaceId(`T${n}`) });

test('a process keeps the keys of a thousand workspaces, those that were used last', async () => {
  const { worker, save, reads } = harness();
  await save('sk-1', home(1));
  const keys = worker();
  for (let n = 1; n <= 1_000; n += 1) await keys.names(home(n));
  await keys.names(home(1));
  await keys.names(home(1_001));
  expect(reads.count).toBe(1_001);
  expect(await keys.names(home(1))).toEqual([getKeyFingerprint('sk-1')]);
  expect(reads.count).toBe(1_001);
  await keys.names(home(2));
  expect(reads.count).toBe(1_002);
  expect(keys.isOfDeployment(getKeyFingerprint('sk-1'))).toBe(false);
});

test('a replaced key is read again once the old one is rejected', async () => {
  const { worker, save, notified } = harness();
  await save('sk-old');
  const keys = worker();
  const [name = ''] = await keys.names(T1);
  await save('sk-new');
  expect(await keys.value(name, false)).toBe('sk-old');
  expect(await keys.value(name, true)).toBe('sk-new');
  // If the new one is rejected too, the operator cannot change that either.
  expect([name, getKeyFingerprint('sk-new'), getKeyFingerprint(OURS)].map(keys.isOfDeployment)).toEqual([
    false,
    false,
    true,
  ]);
  expect(await keys.recordRejection(getKeyFingerprint('sk-old'), 401)).toBe(true);
  expect([await keys.names(T1), notified]).toEqual([[getKeyFingerprint('sk-new')], []]);
});

test('a revoked key is removed everywhere, its owner is told once, and the key of the deployment is used', async () => {
  const { worker, save, notified, clock } = harness();
  await save('sk-revoked');
  const [one, two] = [worker(), worker()];
  await Promise.all([one.names(T1), two.names(T1)]);
  expect(await one.recordRejection(getKeyFingerprint('sk-revoked'), 401)).toBe(true);
  expect(await two.recordRejection(getKeyFingerprint('sk-revoked'), 401)).toBe(true);
  expect(notified).toEqual(['T1:UADA']);
  expect([await one.names(T1), await two.names(T1)]).toEqual([
    [getKeyFingerprint(OURS)],
    [getKeyFingerprint(OURS)],
  ]);
  clock.now += 3_600_000;
  expect(await worker().names(T1)).toEqual([getKeyFingerprint(OURS)]);
  await save('sk-next');
  expect(await worker().names(T1)).toEqual([getKeyFingerprint('sk-next')]);
});

test('a key without a permission (403) is paused for five minutes, and nobody is told', async () => {
  const { worker, save, notified, clock } = harness();
  await save('sk-narrow');
  const keys = worker();
  await keys.names(T1);
  await keys.recordRejection(getKeyFingerprint('sk-narrow'), 403);
  expect([await keys.names(T1), notified]).toEqual([[getKeyFingerprint(OURS)], []]);
  clock.now += 300_001;
  expect(await keys.names(T1)).toEqual([getKeyFingerprint('sk-narrow')]);
});

test('the question after the one that meets a revoked key is answered', async () => {
  const { worker, save, notified } = harness();
  await save('sk-revoked');
  const keys = worker();
  const logged: unknown[] = [];
  const log = (event: string, facts: object = {}) => void logged.push([event, { ...facts }]);
  const tried: string[] = [];
  let permit: string | undefined;
  const ask = async function* () {
    [permit] = await keys.names(T1);
    const value = await keys.value(permit, false);
    tried.push(value);
    if (value === 'sk-revoked') throw new AuthError('no such key', { status: 401 });
    yield 'Four.';
  };
  const transcribed: string[] = [];
  const options = { keys, keyName: () => permit, service: 'speech', log } as const;
  for await (const word of withOtherKeys(ask, options)) transcribed.push(word);
  expect({ tried, transcribed, notified }).toEqual({
    tried: ['sk-revoked', OURS],
    transcribed: ['Four.'],
    notified: ['T1:UADA'],
  });
  const all = async function* () {
    [permit] = await keys.names();
    yield await Promise.reject<string>(new AuthError('no such key', { status: 401 }));
  };
  await expect(withOtherKeys(all, options).next()).rejects.toThrow('no such key');
  // Only the second one raises the alarm: the operator cannot change the key of a workspace.
  expect(logged).toEqual([
    ['workspace-key.rejected', { keyName: getKeyFingerprint('sk-revoked'), status: 401 }],
    ['api-key.rejected', { keyName: getKeyFingerprint(OURS), status: 401 }],
  ]);
});

test('a rotated key counts until its end, whoever has loaded the secret before', async () => {
  let time = 1_000;
  const content = {
    apiKey: 'sk-new',
    more: ['sk-old', 'sk-second'],
    until: { [getKeyFingerprint('sk-old')]: 2_000 },
  };
  const keys = createKeys({ load: async () => content, refresh: async () => content }, () => time);
  expect(await keys.names()).toEqual(['sk-new', 'sk-old', 'sk-second'].map(getKeyFingerprint));
  time = 2_000;
  expect(await keys.names()).toEqual(['sk-new', 'sk-second'].map(getKeyFingerprint));
  expect(await keys.value(getKeyFingerprint('sk-old'), false)).toBe('sk-new');
});

/** Asks with these keys, of which the first has no credit left, and a workspace with a key of its own if `theirs` is set. */
async function askWithoutCredit(
  more: readonly string[],
  { words = [], theirs, service = 'chat', message = 'no credit left' }: Asked = {},
) {
  const { worker, save } = harness({ more });
  if (theirs !== undefined) await save(theirs);
  const keys = worker();
  const logged: string[] = [];
  const tried: string[] = [];
  let permit: string | undefined;
  const ask = async function* () {
    [permit] = await keys.names(T1);
    const value = await keys.value(permit, false);
    tried.push(value);
    if (value !== theirs && value !== OURS) return void (yield 'Four.');
    yield* words;
    throw new QuotaError(message, { status: 402 });
  };
  const read: string[] = [];
  const log = (event: string) => void logged.push(event);
  try {
    const keyName = () => permit;
    for await (const word of withOtherKeys(ask, { keys, keyName, service, log })) read.push(word);
  } catch (error) {
    read.push(error instanceof Error ? error.message : '');
  }
  return { tried, read, logged, next: await keys.names(T1) };
}
type Asked = {
  readonly words?: readonly string[];
  readonly theirs?: string;
  readonly service?: 'chat' | 'speech';
  readonly message?: string;
};

test('a key of the deployment without credit is skipped for five minutes, and another one is used', async () => {
  expect(await askWithoutCredit(['sk-paid'])).toEqual({
    tried: [OURS, 'sk-paid'],
    read: ['Four.'],
    logged: ['api-key.rejected'],
    next: [getKeyFingerprint('sk-paid')],
  });
});

test('without another key, people are told that there is no credit; the key is used again, in case somebody adds some', async () => {
  expect(await askWithoutCredit([])).toEqual({
    tried: [OURS],
    read: ['no credit left'],
    logged: ['api-key.rejected'],
    next: [getKeyFingerprint(OURS)],
  });
});

test.each<[string, Asked]>([
  ['speech has none, which may be apart from that of chat', { service: 'speech', message: 'no credit left' }],
  [
    'it is too little for one request',
    {
      message:
        'The upstream answered 402: This request requires more credits, or fewer max_tokens. You requested up to 8000 tokens, but can only afford 2000.',
    },
  ],
])('a key is not skipped for its credit if %s', async (_, asked) => {
  expect(await askWithoutCredit(['sk-paid'], asked)).toEqual({
    tried: [OURS],
    read: [asked.message],
    logged: [],
    next: [OURS, 'sk-paid'].map(getKeyFingerprint),
  });
});

test('an answer that has begun is not asked again with another key', async () => {
  expect(await askWithoutCredit(['sk-paid'], { words: ['Fo'] })).toMatchObject({
    tried: [OURS],
    read: ['Fo', 'no credit left'],
  });
});

test('for a workspace whose own key has no credit, the deployment does not pay', async () => {
  expect(await askWithoutCredit(['sk-paid'], { theirs: 'sk-theirs' })).toEqual({
    tried: ['sk-theirs'],
    read: ['no credit left'],
    logged: [],
    next: [getKeyFingerprint('sk-theirs')],
  });
});
