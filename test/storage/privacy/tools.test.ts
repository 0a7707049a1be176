import { expect, test } from '@jest/globals';
import { channelId, messageId, type Thread, userId, workspaceId } from '../../../shared/domain/index.ts';
import {
  Erasure,
  type ErasureScope,
  Exports,
  ProposedCalls,
  Schedules,
  ToolCredentials,
  ToolLog,
  ToolServerStore,
} from '../../../shared/storage/index.ts';
import { decompressJson } from '../../../shared/storage/dynamodb/turn-compression.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../../fakes/dynamo.ts';
import { NOW } from '../person-history.ts';

const table = 'conversations';
const store = (dynamo: MemoryDynamo) => ({ dynamo, table, days: 30, now: () => NOW });
/** Encrypts nothing, so that the search finds what is sealed. */
const encryptor = {
  encrypt: (text: string) => Promise.resolve(Buffer.from(text)),
  decrypt: (sealed: Uint8Array) => Promise.resolve(Buffer.from(sealed).toString()),
};

const [ADA, GRACE] = [userId('U1'), userId('U2')];
const PLACES = (['T1', 'T12'] as const).map((id) => ({
  platform: 'slack' as const,
  workspace: workspaceId(id),
}));
const threadIn = (place: (typeof PLACES)[number], root: string): Thread => ({
  ...place,
  channel: channelId('C1'),
  root: messageId(root),
});

/** In both workspaces: a server with a shared token; for both people a token, a begun sign-in, a card, logged calls and a schedule. */
async function filled(): Promise<MemoryDynamo> {
  const dynamo = createMemoryDynamo();
  const servers = new ToolServerStore(store(dynamo));
  const credentials = new ToolCredentials({ ...store(dynamo), encryptor });
  const [calls, log] = [new ProposedCalls(store(dynamo)), new ToolLog(store(dynamo))];
  const schedules = new Schedules(store(dynamo));
  for (const place of PLACES) {
    const of = place.workspace;
    const tool = { name: 'create', description: `canary-tool-${of}`, isReadOnly: false, isDestructive: true };
    const tools = [{ ...tool, parameters: {}, use: 'ask' as const }];
    await servers.add(place, { name: 'jira', url: `https://${of}.example.com/mcp`, auth: 'person', tools });
    await credentials.save(place, 'jira', { token: `canary-shared-${of}` });
    for (const by of [ADA, GRACE]) {
      const mark = (kind: string) => `canary-${kind}-${of}-${by}`;
      const session = mark('session');
      const token = { token: mark('token'), refreshToken: mark('refresh'), session };
      await credentials.save(place, 'jira', token, by);
      const signIn = { server: 'jira', url: 'https://x.example.com/mcp', user: by, isShared: false, session };
      await credentials.begin(place, mark('state'), signIn);
      for (const root of ['1.1', '2.2']) {
        const thread = threadIn(place, root);
        const args = { title: mark('args'), root };
        await calls.create(mark(root), { thread, by, server: 'jira', tool: 'create', args });
      }
      const call = { tool: 'create', source: 'jira', ms: 5, outcome: 'done' as const };
      await log.add(threadIn(place, '1.1'), { ...call, at: NOW, by });
      await schedules.save({
        ...place,
        id: `s-${by}`,
        by,
        channel: channelId('C1'),
        content: { kind: 'prompt', prompt: mark('prompt') },
        recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'UTC' },
        locale: undefined,
        dueMs: NOW,
        failures: 0,
      });
    }
  }
  return dynamo;
}

const readable = (bytes: Uint8Array): string => {
  try {
    return JSON.stringify(decompressJson(bytes));
  } catch {
    return Buffer.from(bytes).toString();
  }
};
/** Every item of every table as text, unpacked. */
const texts = (dynamo: MemoryDynamo): string[] =>
  [table, 'tokens'].flatMap((name) =>
    dynamo
      .items(name)
      .map((item) =>
        JSON.stringify(
          Object.entries(item).map(([key, value]) => [key, value.B ? readable(value.B) : value]),
        ),
      ),
  );

const config = (dynamo: MemoryDynamo, isByIndex: boolean) => ({
  ...store(dynamo),
  scan: async () => ({ Items: dynamo.items(table) }),
  isIndexComplete: () => Promise.resolve(isByIndex),
});
const hooks = { eraseJobs: () => Promise.resolve() };

async function erase(dynamo: MemoryDynamo, scope: ErasureScope, isByIndex = true): Promise<void> {
  const erasure = new Erasure(config(dynamo, isByIndex));
  let from: string | undefined;
  do from = (await erasure.page(scope, from, hooks)).next;
  while (from !== undefined);
}

const [T1, T12] = PLACES;
const AS_ADA = { platform: 'slack' as const, workspace: workspaceId('T1'), user: ADA };
const KINDS = ['token', 'refresh', 'session', 'args', 'prompt'];

test.each([
  ['the person index', true],
  ['a scan', false],
])(
  'a person who is erased, by %s, leaves no token, sign-in, card, logged call or schedule; the data of others and the server stay',
  async (_, isByIndex) => {
    const dynamo = await filled();
    const remaining = texts(dynamo).filter((text) => !(text.includes('"U1"') && /#T1"/u.test(text)));
    for (const kind of KINDS) expect(texts(dynamo).join('\n')).toContain(`canary-${kind}-T1-U1`);
    await erase(dynamo, AS_ADA, isByIndex);
    expect(texts(dynamo).filter((text) => text.includes('-T1-U1'))).toEqual([]);
    expect(texts(dynamo).toSorted()).toEqual(remaining.toSorted());
    expect(remaining.filter((text) => text.includes('canary-shared-T1"'))).toHaveLength(1);
  },
);

test('a person gets their calls, cards, sign-ins and schedules, and no token, in an export', async () => {
  const exports = new Exports(config(await filled(), true));
  const entries: unknown[] = [];
  let from: string | undefined;
  do {
    const page = await exports.page(AS_ADA, from);
    entries.push(...page.entries);
    from = page.next;
  } while (from !== undefined);
  const text = JSON.stringify(entries);
  for (const kind of ['args', 'prompt']) expect(text).toContain(`canary-${kind}-T1-U1`);
  for (const place of ['TOOLLOG#slack#T1', 'TOOLKEY#slack#T1', 'TOOLAUTH#slack#T1'])
    expect(text).toContain(`"in":"${place}"`);
  expect(text).not.toMatch(/canary-(?:token|refresh|session|shared)|-U2|T12/u);
});

test('a workspace that is erased leaves nothing; another one keeps everything', async () => {
  const dynamo = await filled();
  const others = texts(dynamo).filter((text) => text.includes('#T12"'));
  await erase(dynamo, { platform: 'slack', workspace: workspaceId('T1') });
  expect(texts(dynamo).toSorted()).toEqual(others.toSorted());
});

test('a thread that is erased leaves no card with its words; cards of other threads stay', async () => {
  const dynamo = await filled();
  if (!T1 || !T12) throw new Error('no place');
  const erasure = new Erasure(config(dynamo, true));
  await erasure.threadPage(threadIn(T1, '1.1'), ADA, undefined, hooks);
  const cards = texts(dynamo).filter((text) => text.includes('TOOLCALL#'));
  expect(cards.filter((text) => text.includes(JSON.stringify(JSON.stringify(threadIn(T1, '1.1')))))).toEqual(
    [],
  );
  expect(cards).toHaveLength(6);
});
