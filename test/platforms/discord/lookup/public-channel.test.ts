import { expect, test } from '@jest/globals';
import { channelId, messageId, NO_GUILD, workspaceId } from '../../../../shared/domain/index.ts';
import { type DiscordCall, DiscordApiError } from '../../../../shared/platforms/discord/api/call.ts';
import { createGuildFinder, createPublicChannelFinder } from '../../../../shared/platforms/discord/index.ts';
import { TestTime } from '../../../upstream/time.ts';

const VIEW = String(1 << 10);
const CHANNELS: Readonly<Record<string, unknown>> = {
  '31': { type: 0, permission_overwrites: [] },
  '32': { type: 0, permission_overwrites: [{ id: '21', type: 0, allow: '0', deny: VIEW }] },
  '33': { type: 0, permission_overwrites: [{ id: '61', type: 0, allow: '0', deny: VIEW }] },
  '34': { type: 0, permission_overwrites: [{ id: '21', type: 0, allow: VIEW, deny: '0' }] },
  '35': { type: 0, permission_overwrites: [{ id: '71', type: 1, allow: '0', deny: VIEW }] },
  '36': { type: 0, permission_overwrites: [{ id: '61', type: 0, allow: '0', deny: String(1 << 11) }] },
  '51': { type: 11 },
  '52': { type: 12 },
};

function finder(everyone = VIEW) {
  const call: DiscordCall = async ({ path }) => {
    if (path === '/guilds/21') return { roles: [{ id: '21', permissions: everyone }] };
    const channel = CHANNELS[path.slice('/channels/'.length)];
    if (path === '/channels/39') throw new DiscordApiError(403, 50001);
    if (channel === undefined) throw new DiscordApiError(404, 10003);
    return channel;
  };
  const time = new TestTime();
  const find = createPublicChannelFinder({ call, guild: createGuildFinder({ call, time }), time });
  return (channel: string, root?: string, workspace = '21') =>
    find({
      platform: 'discord',
      workspace: workspaceId(workspace),
      channel: channelId(channel),
      root: root === undefined ? undefined : messageId(root),
    });
}

test.each([
  ['a channel without overwrites', '31', undefined, true],
  ['one that @everyone may not view', '32', undefined, false],
  ['one that a role may not view', '33', undefined, false],
  ['one that a member may not view', '35', undefined, false],
  ['one in which a role may not write', '36', undefined, true],
  ['a public thread', '31', '51', true],
  ['a private thread', '31', '52', false],
  ['a reply chain, whose first message has no thread', '31', '77', true],
  ['an answer in a channel', '31', 'c41', true],
  ['an ephemeral answer', '31', 'p41', false],
  ['a channel that the bot does not see', '39', undefined, false],
  ['an unknown channel', '40', undefined, false],
])('%s', async (_, channel, root, expected) => {
  expect(await finder()(channel, root)).toBe(expected);
});

test('where @everyone may view nothing, only what allows it is public', async () => {
  const find = finder('0');
  expect([await find('31'), await find('34')]).toEqual([false, true]);
});

test('nothing is public outside of guilds', async () => {
  expect(await finder()('31', undefined, NO_GUILD)).toBe(false);
});
