import { expect, test } from '@jest/globals';
import { discordUnderTest } from '../discord-under-test.ts';
import { discord, side, onDiscord } from '../on-discord.ts';

onDiscord();

const textsOf = async (turn: Parameters<typeof side.visibleMessages>[0]) =>
  (await side.visibleMessages(turn)).map(({ text }) => text);

test('a status message stands below the question and becomes the answer', async () => {
  const turn = await side.ask('Who is there?');
  await side.platform.showStatus(turn, 'is waiting in line: place 3, about 4 s');
  const [line] = await side.visibleMessages(turn);
  expect(line?.text).toBe('-# Parley is waiting in line: place 3, about 4 s');
  await side.platform.showStatus(turn, 'is waiting in line: about 1 s');
  const reply = side.platform.reply(turn, []);
  expect(await reply.publish('Nobody.')).toEqual([line?.id]);
  await side.platform.showStatus(turn, '');
  expect(await textsOf(turn)).toEqual(['Nobody.']);
});

test('a status message without an answer is deleted after the wait; reasoning alone posts none', async () => {
  const turn = await side.ask('Who is there?');
  await side.platform.showStatus(turn, 'is thinking…', 'work');
  expect(await textsOf(turn)).toEqual([]);
  await side.platform.showStatus(turn, 'is waiting in line: about 4 s');
  await side.platform.showStatus(turn, 'is thinking…');
  expect(await textsOf(turn)).toEqual(['-# Parley is thinking…']);
  await side.platform.showStatus(turn, '');
  expect(await textsOf(turn)).toEqual([]);
});

test('a regenerated answer keeps its messages, and the status message is deleted', async () => {
  const turn = await side.ask('Who is there?');
  const first = await side.platform.reply(turn, []).publish('Nobody.');
  const anew = side.platform.reply(turn, first);
  await side.platform.showStatus(turn, 'is waiting in line: about 4 s');
  expect(await textsOf(turn)).toEqual(['Nobody.', '-# Parley is waiting in line: about 4 s']);
  anew.write('Some');
  expect(await anew.publish('Somebody.')).toEqual(first);
  expect(await textsOf(turn)).toEqual(['Somebody.']);
});

test('a status of a regenerated answer neither replaces nor deletes an answer that began as a status message', async () => {
  const turn = await side.ask('Who is there?');
  await side.platform.showStatus(turn, 'is waiting in line: about 4 s');
  const first = await side.platform.reply(turn, []).publish('Nobody.');
  await side.platform.showStatus(turn, '');
  // Within minutes Discord responds to the same nonce with the same message.
  side.platform.reply(turn, first);
  await side.platform.showStatus(turn, 'is waiting in line: about 9 s');
  expect(await textsOf(turn)).toEqual(['Nobody.']);
  await side.platform.showStatus(turn, 'is waiting in line: about 2 s');
  await side.platform.showStatus(turn, '');
  expect(await textsOf(turn)).toEqual(['Nobody.']);
});

test('the next worker continues in the status message of a worker that has died', async () => {
  const turn = await side.ask('Who is there?');
  await side.platform.showStatus(turn, 'is waiting in line: about 9 s');
  const next = discordUnderTest(discord).platform;
  await next.showStatus(turn, 'is waiting in line: about 3 s');
  expect(await textsOf(turn)).toEqual(['-# Parley is waiting in line: about 3 s']);
  const { ofTurn: left } = await next.findOrphanedMessages(turn);
  expect(left).toEqual((await side.visibleMessages(turn)).map(({ id }) => id));
});

test('a pending status does not replace an answer that has begun', async () => {
  const turn = await side.ask('Who is there?');
  side.injectFault('post', 'lose-reply');
  const status = side.platform.showStatus(turn, 'is waiting in line: about 4 s');
  const finished = side.platform.reply(turn, []).publish('Nobody.');
  await Promise.all([status, finished]);
  expect(await textsOf(turn)).toEqual(['Nobody.']);
});

test('a status that comes late does not replace the answer that became of the one before, nor delete it', async () => {
  const turn = await side.ask('Who is there?');
  const reply = side.platform.reply(turn, []);
  await side.platform.showStatus(turn, 'is searching…');
  await reply.publish('Nobody.');
  // The read of the interaction token was slow.
  await side.platform.showStatus(turn, 'is thinking…');
  expect(await textsOf(turn)).toEqual(['Nobody.']);
  await side.platform.showStatus(turn, '');
  expect(await textsOf(turn)).toEqual(['Nobody.']);
});

test.each(['answered', 'given up'])(
  'a status message with an unconfirmed post does not outlast a wait that is %s',
  async (how) => {
    const turn = await side.ask('Who is there?');
    side.injectFault('post', 'lose-reply');
    side.injectFault('post', 'busy', 4);
    await side.platform.showStatus(turn, 'is waiting in line: about 4 s');
    if (how === 'answered') await side.platform.reply(turn, []).publish('Nobody.');
    else await side.platform.showStatus(turn, '');
    expect(await textsOf(turn)).toEqual(how === 'answered' ? ['Nobody.'] : []);
  },
);
