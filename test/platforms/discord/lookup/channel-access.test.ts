import { expect, test } from '@jest/globals';
import { channelId, NO_GUILD, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { type DiscordCall, DiscordApiError } from '../../../../shared/platforms/discord/api/call.ts';
import {
  createChannelAccessFinder,
  createGuildReader,
  createMemberRolesFinder,
} from '../../../../shared/platforms/discord/index.ts';
import { TestTime } from '../../../upstream/time.ts';

const VIEW = String(1 << 10);
const deny = (id: string) => ({ id, type: 0, allow: '0', deny: VIEW });
const allow = (id: string) => ({ id, type: 0, allow: VIEW, deny: '0' });
const PRIVATE = [deny('21')];

/** Who may read a channel of the guild 21 with these overwrites: 41 has the role 61, 42 none, 43 an administrator's, 44 owns it. */
function finder(overwrites: readonly object[] | undefined, refusal?: Error) {
  const call: DiscordCall = async ({ path }) => {
    if (path === '/guilds/21')
      return {
        owner_id: '44',
        roles: [
          { id: '21', permissions: VIEW },
          { id: '61', permissions: '0' },
          { id: '62', permissions: String(1 << 3) },
        ],
      };
    if (path === '/guilds/21/members/41') return { roles: ['61'] };
    if (path === '/guilds/21/members/43') return { roles: ['62'] };
    if (path === '/guilds/21/members/45') throw new DiscordApiError(404, 10007);
    if (path.startsWith('/guilds/21/members/')) return { roles: [] };
    if (refusal) throw refusal;
    return { type: 0, permission_overwrites: overwrites };
  };
  const time = new TestTime();
  const guild = createGuildReader({ call, time });
  const find = createChannelAccessFinder({
    call,
    guild,
    memberRoles: createMemberRolesFinder({ call, guild, time }),
  });
  return (user: string, workspace = '21') =>
    find({ platform: 'discord', workspace: workspaceId(workspace), channel: channelId('31') }, userId(user));
}

test.each([
  ['a channel without overwrites', [], '42', 'allowed'],
  ['a private channel', PRIVATE, '42', 'denied'],
  ['a private channel that a role of theirs may view', [...PRIVATE, allow('61')], '41', 'allowed'],
  ['a private channel that the role of others may view', [...PRIVATE, allow('61')], '42', 'denied'],
  ['a private channel that they themselves may view', [...PRIVATE, allow('42')], '42', 'allowed'],
  ['a channel that a role of theirs may not view', [deny('61')], '41', 'denied'],
  ['a private channel, for an administrator', PRIVATE, '43', 'allowed'],
  ['a private channel, for the owner of the guild', PRIVATE, '44', 'allowed'],
  ['a channel, for who has left the guild', [], '45', 'denied'],
  ['a thread, which has no overwrites of its own', undefined, '42', 'unknown'],
])('%s', async (_, overwrites, user, expected) => {
  expect(await finder(overwrites)(user)).toBe(expected);
});

test('nothing is known outside of guilds, and of a channel that the bot does not see', async () => {
  expect(await finder(PRIVATE)('42', NO_GUILD)).toBe('unknown');
  expect(await finder(PRIVATE, new DiscordApiError(403, 50001))('42')).toBe('unknown');
});

test('a failure that passes is no answer', async () => {
  await expect(finder(PRIVATE, new Error('503'))('42')).rejects.toThrow('503');
});
