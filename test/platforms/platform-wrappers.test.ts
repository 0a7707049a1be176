import { expect, test } from '@jest/globals';
import {
  messageId,
  PLATFORMS,
  type Thread,
  channelId,
  type UserId,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import {
  createMessengerRouter,
  createPlatformRouter,
  dropErasedMessages,
} from '../../shared/platforms/platform-wrappers.ts';
import { fakePlatform, TURN } from '../chat/completion-harness.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import type { Platform } from '../../shared/platforms/ports/index.ts';
import { getMessageTimeMs } from '../../shared/utils/message-time.ts';

/** Records each call of a method in place of the adapter. */
const recorded = <T extends object>(adapter: T, calls: unknown[][]): T =>
  new Proxy(adapter, {
    get:
      (_, name) =>
      (...args: unknown[]): void =>
        void calls.push([name, ...args]),
  });

type Place = Pick<Thread, 'platform'>;

test.each(PLATFORMS)('every method of both routers reaches the adapter of %s only', (platform) => {
  const calls = new Map(PLATFORMS.map((name) => [name, [] as unknown[][]]));
  const callsOf = (name: Thread['platform']) => calls.get(name) ?? [];
  const routers = [
    createPlatformRouter((place: Place) => recorded(fakePlatform(), callsOf(place.platform))),
    createMessengerRouter((place) => recorded(new FakeMessenger(), callsOf(place.platform))),
  ];
  // Some methods take a turn, the others a place.
  const thread = { ...TURN.thread, platform };
  const subject = { ...TURN, ...thread, thread };
  const names = routers.flatMap((router) => Object.keys(router));
  for (const router of routers)
    for (const name of Object.keys(router)) {
      const method: unknown = Reflect.get(router, name);
      if (typeof method === 'function') Reflect.apply(method, router, [subject, 'second']);
    }
  expect(names.length).toBeGreaterThan(20);
  expect(callsOf(platform).map(([name, first]) => [name, first])).toEqual(
    names.map((name) => [name, subject]),
  );
  for (const other of PLATFORMS.filter((name) => name !== platform)) expect(callsOf(other)).toEqual([]);
});

test('the router passes every argument of a status, so that an answer in a thread keeps its own status', async () => {
  const calls: unknown[][] = [];
  const thread = { ...TURN.thread, root: messageId('7.7') };
  await createMessengerRouter(() => recorded(new FakeMessenger(), calls)).showWorking(thread, '', true);
  expect(calls).toEqual([['showWorking', thread, '', true]]);
});

const [ADA, BOB] = [userId('U1'), userId('U2')];
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.0'),
} as const;
const BOBS_TURN = { thread: THREAD, message: messageId('9.0'), asker: BOB, askerWorkspace: THREAD.workspace };
const FILE = { id: 'F1', name: 'sea.png', mimetype: 'image/png', bytes: 3 };
/** Ada writes at 1, 3 and 5 s, Bob at 2 s, the bot at 2.5 and 4 s. */
const SAID = [
  { at: 1_000, by: ADA, text: 'Ada at 1' },
  { at: 2_000, by: BOB, text: 'Bob at 2' },
  { at: 2_500, by: userId('B'), isBot: true, text: 'As Ada said at 1' },
  { at: 3_000, by: ADA, text: 'Ada at 3' },
  { at: 4_000, by: userId('B'), isBot: true, text: 'The bot at 4' },
  { at: 5_000, by: ADA, text: 'Ada at 5' },
].map((one) => ({ ...one, author: 'somebody', id: messageId(`${one.at / 1_000}.0`) }));

/** The messages that are read when Ada was erased until then, and the thread until then. */
function read(ada: number, thread = 0): Platform {
  const messages = SAID.map(({ id, by, text }) => ({
    thread: THREAD,
    id,
    author: by,
    text,
    attachments: [],
  }));
  const source: Platform = {
    ...fakePlatform({ [FILE.id]: new Uint8Array(3) }),
    fetchEarlierMessages: async () => ({ messages: SAID }),
    readHistory: async () => ({ messages: SAID, unreadThreads: 0, withoutText: 0 }),
    findMessage: async (_, id) => messages.find((one) => one.id === id),
    findRecordings: () => async () => messages,
    prepareMessageSearch: () => async () =>
      SAID.map((one) => ({ ...one, channel: 'general', link: 'https://x.example' })),
  };
  return dropErasedMessages(source, {
    of: async () => thread,
    ofPeople: async (_, people: Iterable<UserId>) =>
      new Map([...new Set(people)].flatMap((one) => (one === ADA && ada > 0 ? [[one, ada] as const] : []))),
    sentAtMs: (message) => getMessageTimeMs(message),
  });
}

const texts = (messages: readonly { readonly text: string }[]) => messages.map(({ text }) => text);

test('no read returns messages of an erased person from before the erasure', async () => {
  const of = read(3_000);
  // A message of an app from before may quote it.
  const left = ['Bob at 2', 'The bot at 4', 'Ada at 5'];
  expect(texts((await of.fetchEarlierMessages(BOBS_TURN)).messages)).toEqual(left);
  const { root: _, ...place } = THREAD;
  expect(texts((await of.readHistory(place, { maxMessages: 10 })).messages)).toEqual(left);
  const search = of.prepareMessageSearch(BOBS_TURN, undefined);
  expect(texts((await search?.('at', new AbortController().signal)) ?? [])).toEqual(left);
  expect(await of.findMessage?.(place, messageId('3.0'))).toBeUndefined();
  expect(await of.findMessage?.(place, messageId('5.0'))).toMatchObject({ text: 'Ada at 5' });
  const recordings = await of.findRecordings?.(BOBS_TURN)?.();
  expect(texts(recordings ?? [])).toEqual(['Bob at 2', 'As Ada said at 1', 'The bot at 4', 'Ada at 5']);
});

test('a file of an erased person is not downloaded for a request of somebody else, unless it was sent after the erasure', async () => {
  const of = read(3_000);
  const download = (author: UserId, message: string) =>
    of.downloadFile(BOBS_TURN, { ...FILE, origin: { author, message: messageId(message) } }, 1_000);
  await expect(download(ADA, '3.0')).rejects.toMatchObject({
    why: ['files.refused.gone', { name: 'sea.png' }],
  });
  expect(await download(ADA, '5.0')).toHaveLength(3);
  expect(await download(BOB, '2.0')).toHaveLength(3);
  expect(await of.downloadFile(BOBS_TURN, FILE, 1_000)).toHaveLength(3);
});

test('without an erasure every message is returned', async () => {
  expect(texts((await read(0).fetchEarlierMessages(BOBS_TURN)).messages)).toHaveLength(6);
});

test('an erased thread is not returned for a question in it, but for a requested summary', async () => {
  const of = read(0, 4_000);
  expect(texts((await of.fetchEarlierMessages(BOBS_TURN)).messages)).toEqual(['Ada at 5']);
  expect((await of.readHistory(THREAD, { maxMessages: 10 })).messages).toHaveLength(6);
});
