import { expect, test } from '@jest/globals';
import { messageId, type TurnRef, userId } from '../../../../shared/domain/index.ts';
import { DiscordApiError, type DiscordCall } from '../../../../shared/platforms/discord/api/call.ts';
import { toWorkspaceId, toThread } from '../../../../shared/platforms/discord/index.ts';
import { answerChannelFinder } from '../../../../shared/platforms/discord/posts/answer-channel.ts';
import { ThreadDeletedError } from '../../../../shared/platforms/ports/index.ts';

const turn: TurnRef = {
  thread: toThread('21', '31', '51'),
  message: messageId('51'),
  asker: userId('41'),
  askerWorkspace: toWorkspaceId('21'),
};

/** Finds the channel of an answer where the request for its question is refused. */
const where = (failure: DiscordApiError) => {
  const call: DiscordCall = async ({ method }) => {
    if (method === 'GET') throw failure;
    return { id: '51' };
  };
  return answerChannelFinder({ call })(turn);
};

test('a deleted question is answered nowhere', async () => {
  await expect(where(new DiscordApiError(404, 10_008))).rejects.toBeInstanceOf(ThreadDeletedError);
});

const goneMeanwhile: DiscordCall = async ({ method }) => {
  if (method === 'POST') throw new DiscordApiError(404, 10_008);
  return { id: '51', content: 'Why?' };
};

test('a question that is deleted while its thread opens is answered nowhere', async () => {
  await expect(answerChannelFinder({ call: goneMeanwhile })(turn)).rejects.toBeInstanceOf(ThreadDeletedError);
});

test('the thread is opened even if the message cannot be requested', async () => {
  await expect(where(new DiscordApiError(404, 0))).resolves.toBe('51');
});

test('a refusal that does not concern the message rejects unchanged', async () => {
  await expect(where(new DiscordApiError(401, 0))).rejects.toBeInstanceOf(DiscordApiError);
});

/** The follow-up of `turn` in the thread 51, by the key of its conversation. */
const followUpIn = (channel: string): TurnRef => ({
  ...turn,
  thread: toThread('21', channel, '51'),
  message: messageId('52'),
});

/** The channel 31 has the thread 51. */
const threadOf31: DiscordCall = async ({ method, path }) => {
  if (method === 'GET' && path === '/channels/51') return { id: '51', type: 12, parent_id: '31' };
  throw new DiscordApiError(404, 10_008);
};

test('a thread is found in its own channel alone: a program that may use another channel cannot name it there', async () => {
  const find = answerChannelFinder({ call: threadOf31 });
  await expect(find(followUpIn('32'))).rejects.toBeInstanceOf(ThreadDeletedError);
  await expect(find(followUpIn('31'))).resolves.toBe('51');
  // What is known of a conversation does not help another one.
  await expect(find(followUpIn('32'))).rejects.toBeInstanceOf(ThreadDeletedError);
});

test.each([
  ['a long question', { content: 'why '.repeat(60) }],
  [
    'a file with a long name alone',
    { content: '<@61>', attachments: [{ filename: `${'plan-'.repeat(60)}.pdf` }] },
  ],
])('the thread of %s has a name that Discord accepts', async (_, question) => {
  const names: string[] = [];
  const call: DiscordCall = async ({ method, body }) => {
    if (method === 'POST') names.push(String(body?.['name']));
    return { id: '51', ...question };
  };
  await expect(answerChannelFinder({ call })(turn)).resolves.toBe('51');
  expect(names.map((name) => name.length <= 100 && /^(?:why|plan)/u.test(name))).toEqual([true]);
});
