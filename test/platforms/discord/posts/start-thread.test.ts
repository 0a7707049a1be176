import { expect, test } from '@jest/globals';
import { channelId, messageId, textCard, userId, workspaceId } from '../../../../shared/domain/index.ts';
import {
  createDiscordMessenger,
  createRestCall,
  createGuildFinder,
} from '../../../../shared/platforms/discord/index.ts';
import { CannotPostError } from '../../../../shared/platforms/ports/index.ts';
import { readId } from '../../../../shared/platforms/discord/api/json-path.ts';
import { ADA, GENERAL, GUILD } from '../../../simulators/discord/index.ts';
import { clock } from '../clock.ts';
import { discord, onDiscord } from '../on-discord.ts';

/** Longer than Discord remembers a nonce. */
const HOUR_MS = 3_600_000;
/** Its clock never goes back. */
let ahead = 0;
onDiscord({ clock: () => Date.now() + ahead });

const origin = (id: string, maybePostedSince?: number) => ({
  platform: 'discord' as const,
  workspace: workspaceId(GUILD),
  channel: channelId(GENERAL),
  id,
  by: { user: userId(ADA), workspace: workspaceId(GUILD) },
  maybePostedSince,
});
const READ = 'GET /channels/{channel_id}/messages';
const POST = 'POST /channels/{channel_id}/messages';
const CARD = textCard('What is new?');

const findInteractionToken = () => Promise.resolve(undefined);

function messenger() {
  const { apiUrl, applicationId, botToken } = discord;
  const token = async () => botToken;
  const call = createRestCall({ apiUrl, applicationId, token, now: clock.now, random: () => 0.5 });
  const guild = createGuildFinder({ call, time: clock });
  return createDiscordMessenger({ call, time: clock, applicationId, guild, findInteractionToken });
}
const posted = () =>
  discord.core.messages(GENERAL).filter((one) => readId(one, 'author', 'id') === discord.applicationId);

const sentToAda = () =>
  discord.core
    .messages(discord.core.dm('ada'), 'ada')
    .filter((one) => readId(one, 'author', 'id') === discord.applicationId);

test('a card that begins a thread is posted once also when its nonce is forgotten, if it may have been posted', async () => {
  const dueMs = clock.now() + ahead;
  for (let n = 0; n < 120; n += 1) discord.core.say('ada', `message ${n}`, { channel: GENERAL });
  const first = await messenger().startThread(origin('s#1'), CARD);
  expect(await messenger().startThread(origin('s#1'), CARD)).toEqual(first);
  ahead += HOUR_MS;
  // Its words are others now, as those of a digest may be.
  const again = await messenger().startThread(origin('s#1', dueMs), textCard('What was new?'));
  expect(again).toEqual(first);
  expect(discord.calls.filter(({ route }) => route === READ)).toHaveLength(2);
  expect(posted()).toHaveLength(1);
  await messenger().startThread(origin('s#2', dueMs), CARD);
  expect(posted()).toHaveLength(2);
});

test('where the bot may not read, it posts again', async () => {
  const dueMs = clock.now() + ahead;
  await messenger().startThread(origin('s#1'), CARD);
  ahead += HOUR_MS;
  discord.faults.add({ kind: 'refuse', code: 50_001, route: READ });
  await messenger().startThread(origin('s#1', dueMs), CARD);
  expect(posted()).toHaveLength(2);
});

test('in a forum, which takes posts and no messages, no card can begin a thread', async () => {
  const forum = [...discord.core.state.channels.values()].find(({ name }) => name === 'questions')?.id ?? '';
  const thread = messenger().startThread({ ...origin('s#1'), channel: channelId(forum) }, CARD);
  await expect(thread).rejects.toBeInstanceOf(CannotPostError);
});

test.each([
  ['the automatic moderation blocks its words', 200_000, 'words-blocked'],
  ['a filter blocks its links', 240_000, 'words-blocked'],
  ['Discord does not accept it', 50_035, undefined],
  ['the bot lacks a permission', 50_013, undefined],
])('where %s, a card is refused for good', async (_, code, why) => {
  discord.faults.add({ kind: 'refuse', code, route: POST });
  const refusal = await messenger()
    .startThread(origin('s#1'), CARD)
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(CannotPostError);
  expect(refusal).toMatchObject({ why, cause: { code } });
});

test.each([
  ['a filter blocks its words', 240_000, 'words-blocked'],
  ['the bot lacks a permission', 50_013, undefined],
])('where %s, a card in a thread is refused for good', async (_, code, why) => {
  const root = messageId(discord.core.say('ada', 'hello', { channel: GENERAL }));
  const thread = {
    platform: 'discord' as const,
    workspace: workspaceId(GUILD),
    channel: channelId(GENERAL),
    root,
  };
  discord.faults.add({ kind: 'refuse', code, route: POST });
  const refusal = await messenger()
    .postCard(thread, CARD, 'card#1')
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(CannotPostError);
  expect(refusal).toMatchObject({ why });
});

test.each([
  ['its API is overloaded', { kind: 'refuse', code: 130_000 }],
  ['direct messages are opened too fast', { kind: 'refuse', code: 40_003 }],
  ['a resource is rate limited', { kind: 'refuse', code: 40_062 }],
  ['Cloudflare blocks the address', { kind: 'refuse', code: 40_333 }],
  ['a proxy refuses it', { kind: 'status', status: 403 }],
  ['a proxy does not know the route', { kind: 'status', status: 404 }],
  ['the token is not valid', { kind: 'refuse', code: 0 }],
] as const)('where %s, a repetition may succeed', async (_, fault) => {
  discord.faults.add({ ...fault, route: POST });
  const refusal = await messenger()
    .startThread(origin('s#1'), CARD)
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Error);
  expect(refusal).not.toBeInstanceOf(CannotPostError);
});

test('a direct message is sent once also when its nonce is forgotten, if it may have been sent', async () => {
  const dueMs = clock.now() + ahead;
  const guild = { platform: 'discord' as const, workspace: workspaceId(GUILD) };
  const send = (words: string, maybePostedSince?: number): Promise<void> =>
    messenger().sendDirectMessage(guild, userId(ADA), textCard(words), 'w#1', maybePostedSince);
  await send('The week');
  ahead += HOUR_MS;
  await send('The week, counted again', dueMs);
  expect(sentToAda()).toHaveLength(1);
  await send('Without a time, it is not looked for');
  expect(sentToAda()).toHaveLength(2);
});

test.each([
  ['accepts no direct messages', () => ADA],
  ['has deleted their account', () => '401000000000000099'],
  ['is a bot', () => discord.applicationId],
])('a direct message to somebody who %s cannot be sent, and a repetition would not help', async (_, to) => {
  discord.core.state.users.set(ADA, { ...discord.core.userNamed('ada'), closed: true });
  const guild = { platform: 'discord' as const, workspace: workspaceId(GUILD) };
  const sent = messenger().sendDirectMessage(guild, userId(to()), textCard('The week'), 'w#1');
  await expect(sent).rejects.toBeInstanceOf(CannotPostError);
});
