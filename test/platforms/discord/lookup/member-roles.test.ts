import { expect, test } from '@jest/globals';
import { NO_GUILD, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { type DiscordCall, DiscordApiError } from '../../../../shared/platforms/discord/api/call.ts';
import { createGuildReader, createMemberRolesFinder } from '../../../../shared/platforms/discord/index.ts';
import { TestTime } from '../../../upstream/time.ts';

const GUILD = workspaceId('21');
const MEMBERS: Readonly<Record<string, readonly string[]>> = { '41': ['61'], '42': ['62'], '43': [] };

function finder(everyone = '0', refusal = new DiscordApiError(404, 10007)) {
  const lookups: string[] = [];
  const call: DiscordCall = async ({ path }) => {
    lookups.push(path);
    if (path === '/guilds/21')
      return {
        owner_id: '43',
        roles: [
          { id: '21', permissions: everyone },
          { id: '61', permissions: String(0x20) },
          { id: '62', permissions: String(0x400) },
        ],
      };
    const roles = MEMBERS[path.slice('/guilds/21/members/'.length)];
    if (!roles) throw refusal;
    return { roles };
  };
  const time = new TestTime();
  const find = createMemberRolesFinder({ call, guild: createGuildReader({ call, time }), time });
  return { find: (user: string, guild = GUILD) => find(guild, userId(user)), lookups };
}

test.each([
  ['who has a role that manages the guild', '41', { admin: true, roles: ['61'] }],
  ['who has another', '42', { admin: false, roles: ['62'] }],
  ['who owns it', '43', { admin: true, roles: [] }],
  ['who has left', '44', { admin: false, roles: [], hasLeft: true }],
])('%s', async (_, user, expected) => {
  const { find, lookups } = finder();
  expect(await find(user)).toEqual(expected);
  await find(user);
  expect(lookups).toHaveLength(2);
});

test('everybody manages a guild that grants it to everybody', async () => {
  expect(await finder('8').find('42')).toMatchObject({ admin: true });
});

test('nobody manages anything outside of a guild, and no request is sent', async () => {
  const { find, lookups } = finder();
  expect(await find('41', workspaceId(NO_GUILD))).toEqual({ admin: false, roles: [] });
  expect(lookups).toEqual([]);
});

test('a person whom Discord does not know has left', async () => {
  const { find } = finder('0', new DiscordApiError(404, 10013));
  expect(await find('44')).toEqual({ admin: false, roles: [], hasLeft: true });
});

test.each([
  [404, 10004],
  [403, 50001],
])(
  'a guild without the bot gives no roles, and says nothing about a person: %i, %i',
  async (status, code) => {
    const { find } = finder('0', new DiscordApiError(status, code));
    expect(await find('44')).toEqual({ admin: false, roles: [] });
  },
);

test.each([
  [401, 0],
  [400, 50035],
])('another refusal leaves the roles unknown, and is requested again: %i, %i', async (status, code) => {
  const { find, lookups } = finder('0', new DiscordApiError(status, code));
  await expect(find('44')).rejects.toThrow('Discord refused');
  await expect(find('44')).rejects.toThrow('Discord refused');
  expect(lookups.filter((path) => path.includes('members'))).toHaveLength(2);
});

test('whether somebody manages a guild is unknown while Discord does not respond, instead of no', async () => {
  const time = new TestTime();
  let isDown = true;
  const call: DiscordCall = async ({ path }) => {
    if (isDown) throw new Error('the line broke');
    return path === '/guilds/21' ? { owner_id: '43', roles: [] } : { roles: [] };
  };
  const find = createMemberRolesFinder({ call, guild: createGuildReader({ call, time }), time });
  await expect(find(GUILD, userId('43'))).rejects.toThrow('the line broke');
  isDown = false;
  expect(await find(GUILD, userId('43'))).toMatchObject({ admin: true });
});
