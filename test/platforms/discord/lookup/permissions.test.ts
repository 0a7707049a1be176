import { expect, test } from '@jest/globals';
import { channelId, workspaceId } from '../../../../shared/domain/index.ts';
import type { DiscordCall } from '../../../../shared/platforms/discord/api/call.ts';
import { createGuildReader, createPermissionFinder } from '../../../../shared/platforms/discord/index.ts';
import { isMissing } from '../../../../shared/platforms/discord/lookup/permissions.ts';
import { TestTime } from '../../../upstream/time.ts';

const VIEW_AND_SEND = String((1 << 10) | (1 << 11));
const ADMINISTRATOR = String(1 << 3);

/** Whether the bot, in timeout for this many ms, may write in a channel of the guild 21. `owner`: the id of the guild's owner. */
async function mayWrite({ timeoutMs, permissions = '0', owner = '44' }: Bot): Promise<boolean> {
  const time = new TestTime();
  const call: DiscordCall = async ({ path }) => {
    const roles = [
      { id: '21', permissions: VIEW_AND_SEND },
      { id: '61', permissions },
    ];
    if (path === '/guilds/21') return { owner_id: owner, roles };
    if (path === '/channels/31') return { type: 0, permission_overwrites: [] };
    const end = new Date(time.now() + timeoutMs).toISOString();
    return { roles: ['61'], communication_disabled_until: end };
  };
  const deps = { call, time, applicationId: '71', guild: createGuildReader({ call, time }) };
  const known = await createPermissionFinder(deps)({
    workspace: workspaceId('21'),
    channel: channelId('31'),
  });
  expect(isMissing(known, 'ViewChannel')).toBe(false);
  return known !== undefined && !isMissing(known, 'SendMessages');
}

type Bot = { readonly timeoutMs: number; readonly permissions?: string; readonly owner?: string };

test.each([
  ['may only read', { timeoutMs: 60_000 }, false],
  ['may write again once it has ended', { timeoutMs: -1 }, true],
  ['may write as an administrator', { timeoutMs: 60_000, permissions: ADMINISTRATOR }, true],
  ['may write as the owner of the guild', { timeoutMs: 60_000, owner: '71' }, true],
])('a bot in timeout %s', async (_, bot, expected) => {
  expect(await mayWrite(bot)).toBe(expected);
});
