import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { messageId } from '../../../../shared/domain/index.ts';
import type { DiscordCall } from '../../../../shared/platforms/discord/api/call.ts';
import { createShowStatus } from '../../../../shared/platforms/discord/answer/status.ts';
import { QueueStatusMessages } from '../../../../shared/platforms/discord/answer/queue-status-message.ts';
import { onDiscord, side } from '../on-discord.ts';

onDiscord();

/** The allowed mentions of a message that pings nobody: neither mentioned people nor the replied-to author. */
const NOBODY = { parse: [], replied_user: false };

test('an answer, its edits, a file or a note ping nobody, whatever they contain', async () => {
  const turn = await side.ask('Who is there?');
  side.requests();
  const posted = await side.platform.reply(turn, []).publish('@everyone <@41> come here');
  // The answer is made again.
  side.platform.reply(turn, posted);
  await side.platform.showStatus(turn, 'is waiting in line: about 4 s');
  await side.upload(turn, 'film.mp4');
  const posts = side
    .requests()
    .filter(({ what, body }) => /^(?:POST|PATCH) .*messages(?!.*threads)/u.test(what) && body !== undefined);
  expect(posts.length).toBeGreaterThanOrEqual(3);
  for (const { what, body } of posts) {
    expect([what, JSON.parse(body)]).toEqual([what, expect.objectContaining({ allowed_mentions: NOBODY })]);
  }
});

const where = async () => '1';

test('a status in place of a deferred response pings nobody', async () => {
  const sent: unknown[] = [];
  const call: DiscordCall = async (request) => void sent.push(request);
  const turn = await side.ask('Who is there?');
  const deps = {
    call,
    time: { now: () => 0, sleep: () => Promise.resolve() },
    applicationId: '9',
    guild: () => Promise.reject(new Error('no guild is asked')),
    findInteractionToken: async () => ({ id: messageId('ticket'), token: 'token', expiresAtMs: 1 }),
    log: () => undefined,
  };
  await createShowStatus(
    deps,
    where,
    new QueueStatusMessages({ ...deps, findChannel: where }),
  )(turn, 'is waiting for @everyone');
  // By the token only: where the bot is not a member, its own permission is refused.
  expect(sent).toMatchObject([{ byInteractionToken: true, body: { allowed_mentions: NOBODY } }]);
});

test.each([
  ['ends by itself', () => Promise.resolve(), 16],
  ['is refused', () => Promise.reject(new Error('refused')), 1],
])('nothing is kept of a typing indicator that %s', async (_, respond, requests) => {
  let sent = 0;
  const deps = {
    call: () => {
      sent += 1;
      return respond();
    },
    time: { now: () => 0, sleep: () => Promise.resolve() },
    applicationId: '9',
    guild: () => Promise.reject(new Error('no guild is asked')),
    findInteractionToken: async () => undefined,
  };
  const turn = await side.ask('Who is there?');
  const typing = new Map<string, AbortController>();
  const statuses = new QueueStatusMessages({ ...deps, findChannel: where });
  await createShowStatus(deps, where, statuses, typing)(turn, 'is thinking…', 'work');
  // No request and no wait takes time here.
  await setImmediate();
  expect([sent, typing.size]).toEqual([requests, 0]);
});

test('nor does it replace the answer when it comes late', async () => {
  const sent: unknown[] = [];
  const turn = await side.ask('Who is there?');
  const deps = {
    call: async (request: unknown) => void sent.push(request),
    time: { now: () => 0, sleep: () => Promise.resolve() },
    applicationId: '9',
    guild: () => Promise.reject(new Error('no guild is asked')),
    findInteractionToken: async () => ({ id: messageId('ticket'), token: 'token', expiresAtMs: 1 }),
  };
  const statuses = new QueueStatusMessages({ ...deps, findChannel: where });
  await statuses.take(turn);
  await createShowStatus(deps, where, statuses)(turn, 'is searching…');
  expect(sent).toEqual([]);
});

test('a message has at most 2,000 characters; longer text continues in another', async () => {
  const turn = await side.ask('Who is there?');
  const words = 'x'.repeat(6_500);
  await side.platform.reply(turn, []).publish(words);
  const texts = (await side.visibleMessages(turn)).map(({ text }) => text);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(2_000);
  expect(texts.join('').replaceAll(/[^x]/gu, '')).toBe(words);
});

test('the orphaned messages of an answer are found in the order in which they were posted', async () => {
  const turn = await side.ask('Who is there?');
  const posted = await side.platform.reply(turn, []).publish('x'.repeat(6_500));
  expect(posted.length).toBeGreaterThan(2);
  expect((await side.platform.findOrphanedMessages(turn)).ofTurn).toEqual(posted);
});
