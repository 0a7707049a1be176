import { expect, test } from '@jest/globals';
import { textCard } from '../../../../shared/domain/index.ts';
import type { DiscordRequest } from '../../../../shared/platforms/discord/api/call.ts';
import { createDiscordMessenger, toThread } from '../../../../shared/platforms/discord/index.ts';
import { CannotPostError } from '../../../../shared/platforms/ports/index.ts';

test.each([
  ['p41', 'an ephemeral conversation', false],
  ['u41', 'a conversation where the bot is no member', false],
  ['c41', 'the own conversation of a person in a channel', true],
  ['31', 'a direct channel', true],
])('%s, %s, tells whether cards can be posted: %s', async (root, _, canPost) => {
  const sent: DiscordRequest[] = [];
  let now = 0;
  const messenger = createDiscordMessenger({
    applicationId: '900',
    call: async (request) => {
      sent.push(request);
      return { id: '61' };
    },
    time: {
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    guild: async () => ({ tier: 0 }),
    findInteractionToken: async () => undefined,
  });
  const thread = toThread('21', '31', root);
  expect(messenger.canPost(thread)).toBe(canPost);
  const posted = messenger.postCard(thread, textCard('Hello.'), 'key');
  const failure: unknown = await posted.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure instanceof CannotPostError).toBe(!canPost);
  // A refusal is final: nothing is tried again.
  expect(now).toBe(0);
  expect(sent.map(({ path }) => path)).toEqual(canPost ? ['/channels/31/messages'] : []);
});
