import { expect, test } from '@jest/globals';
import {
  DiscordRateLimitError,
  DiscordApiError,
  type DiscordRequest,
} from '../../../../shared/platforms/discord/api/call.ts';
import { unarchiveThread } from '../../../../shared/platforms/discord/posts/unarchive-thread.ts';

const ASLEEP = new DiscordApiError(400, 50083);
const EDIT = { method: 'PATCH', path: '/channels/31/messages/5', body: { content: 'x' } } as const;

/** Each answer in turn: an error is thrown, anything else is Discord's. */
function rig(...answers: readonly unknown[]) {
  const sent: string[] = [];
  const left = [...answers];
  const call = unarchiveThread(async ({ method, path }: DiscordRequest) => {
    sent.push(`${method} ${path}`);
    const answer = left.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { call, sent };
}

test('a thread that was put away is woken up, and what was wanted is done', async () => {
  const { call, sent } = rig(ASLEEP, {}, 'edited');
  expect(await call(EDIT)).toBe('edited');
  expect(sent).toEqual([
    'PATCH /channels/31/messages/5',
    'PATCH /channels/31',
    'PATCH /channels/31/messages/5',
  ]);
});

test('one that is locked stays as it is', async () => {
  const { call, sent } = rig(ASLEEP, new DiscordApiError(403, 50013));
  await expect(call(EDIT)).rejects.toBe(ASLEEP);
  expect(sent).toHaveLength(2);
});

test('one that cannot be woken up just now is tried again by who wanted it', async () => {
  await expect(rig(ASLEEP, new DiscordRateLimitError(500)).call(EDIT)).rejects.toBeInstanceOf(
    DiscordRateLimitError,
  );
});

test('a new message wakes a thread by itself: a refusal says that it is locked', async () => {
  const { call, sent } = rig(ASLEEP);
  await expect(call({ method: 'POST', path: '/channels/31/messages' })).rejects.toBe(ASLEEP);
  expect(sent).toHaveLength(1);
});
