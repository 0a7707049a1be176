import { expect, test } from '@jest/globals';
import { channelId, messageId, type UserId, userId, workspaceId } from '../../../shared/domain/index.ts';
import type { Platform } from '../../../shared/platforms/ports/index.ts';
import { withoutErased } from '../../../shared/platforms/ports/without-erased.ts';
import { messageSentAt } from '../../../shared/utils/message-sent-at.ts';
import { fakePlatform } from '../../chat/completion-harness.ts';

const [ADA, BOB] = [userId('U1'), userId('U2')];
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.0'),
} as const;
const TURN = { thread: THREAD, message: messageId('9.0'), asker: BOB, askerWorkspace: THREAD.workspace };
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
  const found = SAID.map(({ id, by, text }) => ({ thread: THREAD, id, author: by, text, attachments: [] }));
  const given: Platform = {
    ...fakePlatform(),
    fetchEarlierMessages: async () => ({ messages: SAID }),
    readHistory: async () => ({ messages: SAID, unreadThreads: 0, withoutText: 0 }),
    findMessage: async (_, id) => found.find((one) => one.id === id),
    findRecordings: () => async () => found,
  };
  return withoutErased(given, {
    of: async () => thread,
    ofPeople: async (_, people: Iterable<UserId>) =>
      new Map([...new Set(people)].flatMap((one) => (one === ADA && ada > 0 ? [[one, ada] as const] : []))),
    sentAtMs: (message) => messageSentAt(message) * 1_000,
  });
}

const texts = (messages: readonly { readonly text: string }[]) => messages.map(({ text }) => text);

test('no read returns messages of an erased person from before the erasure', async () => {
  const of = read(3_000);
  // A message of an app from before may quote it.
  const left = ['Bob at 2', 'The bot at 4', 'Ada at 5'];
  expect(texts((await of.fetchEarlierMessages(TURN)).messages)).toEqual(left);
  const { root: _, ...place } = THREAD;
  expect(texts((await of.readHistory(place, { maxMessages: 10 })).messages)).toEqual(left);
  expect(await of.findMessage?.(place, messageId('3.0'))).toBeUndefined();
  expect(await of.findMessage?.(place, messageId('5.0'))).toMatchObject({ text: 'Ada at 5' });
  const recorded = await of.findRecordings?.(TURN)?.();
  expect(texts(recorded ?? [])).toEqual(['Bob at 2', 'As Ada said at 1', 'The bot at 4', 'Ada at 5']);
});

test('without an erasure every message is returned', async () => {
  expect(texts((await read(0).fetchEarlierMessages(TURN)).messages)).toHaveLength(6);
});

test('an erased thread is not returned for a question in it, but for a requested summary', async () => {
  const of = read(0, 4_000);
  expect(texts((await of.fetchEarlierMessages(TURN)).messages)).toEqual(['Ada at 5']);
  expect((await of.readHistory(THREAD, { maxMessages: 10 })).messages).toHaveLength(6);
});
