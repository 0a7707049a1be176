import { expect, test } from '@jest/globals';
import {
  type InteractionToken,
  messageId,
  type MessageId,
  type TurnRef,
  userId,
} from '../../../../shared/domain/index.ts';
import { DiscordApiError, type DiscordRequest } from '../../../../shared/platforms/discord/api/call.ts';
import { createMessages } from '../../../../shared/platforms/discord/posts/messages.ts';
import { deleteMessage } from '../../../../shared/platforms/discord/answer/delete-answer.ts';
import { toWorkspaceId, toThread } from '../../../../shared/platforms/discord/index.ts';

const START = 1_790_000_000_000;
const UNKNOWN_MESSAGE = 10_008;
const UNKNOWN_WEBHOOK = 10_015;
const MISSING_ACCESS = 50_001;
const body = (content: string) => ({ content, components: [], files: [] });
const token: InteractionToken = { token: 'TOKEN', id: messageId('1000'), expiresAtMs: START + 900_000 };

/** A Discord with stored messages: a token reaches only those posted with it, the bot reaches all. */
function discord(root = 'c41') {
  const messages = new Map<string, { readonly byToken: boolean; content: unknown }>();
  const sent: string[] = [];
  const isRefused = { token: false, bot: false };
  const call = async ({
    method,
    path,
    byInteractionToken = false,
    body: of,
  }: DiscordRequest): Promise<unknown> => {
    sent.push(`${method} ${byInteractionToken ? 'token' : 'bot'}`);
    if (byInteractionToken && isRefused.token) throw new DiscordApiError(404, UNKNOWN_WEBHOOK);
    if (!byInteractionToken && isRefused.bot) throw new DiscordApiError(403, MISSING_ACCESS);
    const pathId = /messages\/(\d+)$/u.exec(path)?.[1];
    if (pathId === undefined) {
      const id = String(2_000 + sent.length);
      messages.set(id, { byToken: byInteractionToken, content: of?.['content'] });
      return { id, content: of?.['content'] };
    }
    const message = messages.get(pathId);
    if (!message || (byInteractionToken && !message.byToken)) throw new DiscordApiError(404, UNKNOWN_MESSAGE);
    if (method === 'DELETE') messages.delete(pathId);
    else message.content = of?.['content'];
    return { id: pathId };
  };
  const turn: TurnRef = {
    thread: toThread('21', '31', root),
    message: messageId('1000'),
    asker: userId('41'),
    askerWorkspace: toWorkspaceId('21'),
  };
  const time = { now: () => START + 60_000, sleep: async () => undefined };
  const deps = { call, time, applicationId: '900', findChannel: async () => '31' };
  return {
    sent,
    isRefused,
    /** The visible text. */
    shown: () => [...messages.values()].map(({ content }) => content),
    time,
    /** The messages of a process that knows the interaction token. */
    process: () => createMessages(deps, turn, token),
    /** The messages of a process without a token. */
    withoutToken: () => createMessages(deps, turn, undefined),
  };
}

/** Posts by the bot in a process whose token Discord refuses; afterwards Discord accepts the token again. */
async function postedByBot(at: ReturnType<typeof discord>): Promise<MessageId> {
  at.isRefused.token = true;
  const { id } = await at.process().post(0, 0, body('By the bot.'));
  at.isRefused.token = false;
  at.sent.splice(0);
  return id;
}

test('a message that the bot posted after the token was refused is deleted by the bot, also in another process', async () => {
  const at = discord();
  const id = await postedByBot(at);
  await deleteMessage(id, at.process(), { time: at.time, deadline: START + 120_000 }, undefined);
  expect(at.shown()).toEqual([]);
  expect(at.sent).toEqual(['DELETE token', 'DELETE bot']);
});

test('a message that the bot posted is edited by the bot, and the process stops using the token for it', async () => {
  const at = discord();
  const id = await postedByBot(at);
  const messages = at.process();
  await messages.edit(id, body('One.'));
  await messages.edit(id, body('Two.'));
  expect(at.shown()).toEqual(['Two.']);
  expect(at.sent).toEqual(['PATCH token', 'PATCH bot', 'PATCH bot']);
});

test('a queue status message, which the bot posts without a token, is reached by an answer with a token', async () => {
  const at = discord();
  const { id } = await at.withoutToken().post(0, 0, body('2nd in line'));
  await at.process().edit(id, body('The answer.'));
  expect(at.shown()).toEqual(['The answer.']);
});

test('a message that was posted by token is edited and deleted by token, and not looked up elsewhere once it is gone', async () => {
  const at = discord();
  const messages = at.process();
  const { id } = await messages.post(0, 0, body('By the token.'));
  await messages.edit(id, body('Edited.'));
  await messages.remove(id);
  await expect(messages.remove(id)).rejects.toMatchObject({ code: UNKNOWN_MESSAGE });
  expect(at.sent).toEqual(['PATCH token', 'PATCH token', 'DELETE token', 'DELETE token']);
});

test('a message is gone when neither route finds it', async () => {
  const at = discord();
  await expect(at.process().edit(messageId('7'), body('x'))).rejects.toMatchObject({ code: UNKNOWN_MESSAGE });
  expect(at.sent).toEqual(['PATCH token', 'PATCH bot']);
});

test('without access for the bot, a message unknown to the token is gone, but the channel is not', async () => {
  const at = discord();
  at.isRefused.bot = true;
  await expect(at.process().remove(messageId('7'))).rejects.toMatchObject({ code: UNKNOWN_MESSAGE });
  const alone = discord('p41');
  await expect(alone.process().remove(messageId('7'))).rejects.toMatchObject({ code: UNKNOWN_MESSAGE });
  expect(alone.sent).toEqual(['DELETE token']);
});
