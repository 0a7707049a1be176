import { expect, test } from '@jest/globals';
import {
  DiscordRateLimitError,
  DiscordApiError,
  type DiscordRequest,
} from '../../../../shared/platforms/discord/api/call.ts';
import { unarchiveThread } from '../../../../shared/platforms/discord/posts/unarchive-thread.ts';

const ASLEEP = new DiscordApiError(400, 50083);
const EDIT = { method: 'PATCH', path: '/channels/31/messages/5', body: { content: 'x' } } as const;

/** The responses in order: an error is thrown, anything else is Discord's response. */
function harness(...answers: readonly unknown[]) {
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

test('an archived thread is unarchived, and the request is repeated', async () => {
  const { call, sent } = harness(ASLEEP, {}, 'edited');
  expect(await call(EDIT)).toBe('edited');
  expect(sent).toEqual([
    'PATCH /channels/31/messages/5',
    'PATCH /channels/31',
    'PATCH /channels/31/messages/5',
  ]);
});

test('a locked thread stays locked', async () => {
  const { call, sent } = harness(ASLEEP, new DiscordApiError(403, 50013));
  await expect(call(EDIT)).rejects.toBe(ASLEEP);
  expect(sent).toHaveLength(2);
});

test('a thread that cannot be unarchived now is retried by the caller', async () => {
  await expect(harness(ASLEEP, new DiscordRateLimitError(500)).call(EDIT)).rejects.toBeInstanceOf(
    DiscordRateLimitError,
  );
});

test('a new message unarchives a thread by itself, so a refusal means that it is locked', async () => {
  const { call, sent } = harness(ASLEEP);
  await expect(call({ method: 'POST', path: '/channels/31/messages' })).rejects.toBe(ASLEEP);
  expect(sent).toHaveLength(1);
});
