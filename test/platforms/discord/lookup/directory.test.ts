import { describe, expect, test } from '@jest/globals';
import { NO_GUILD, workspaceId } from '../../../../shared/domain/index.ts';
import type { DirectoryReference, ReferenceKind } from '../../../../shared/platforms/ports/directory.ts';
import { createDiscordDirectory, DiscordApiError } from '../../../../shared/platforms/discord/index.ts';
import { DEFAULT_IDENTITY, GENERAL, GRACE, GUILD, LOUNGE } from '../../../simulators/discord/index.ts';
import { TestTime } from '../../../upstream/time.ts';
import { discord, onDiscord } from '../on-discord.ts';
import { callSimulated } from '../call-simulated.ts';

const SALES = '601000000000000001';
const [commons, ...guilds] = DEFAULT_IDENTITY.guilds;
const roles = [{ id: SALES, name: 'Sales', permissions: '0', members: [GRACE] }];
onDiscord({
  identity: {
    guilds: commons ? [{ ...commons, roles }, ...guilds] : guilds,
    users: [
      ...DEFAULT_IDENTITY.users,
      { id: '101000000000000009', username: 'gracious', name: 'Ada Lovelace' },
    ],
  },
});

function harness(workspace = workspaceId(GUILD)) {
  const { apiUrl, applicationId, botToken } = discord;
  const time = new TestTime();
  const call = callSimulated({ apiUrl, applicationId, botToken }, time.now);
  const directory = createDiscordDirectory({ call, time });
  return (kinds: ReferenceKind[], by: DirectoryReference['by'], value: string) =>
    directory.find({ workspace }, { kinds, by, value, mentioned: false });
}
const match = (as: ReferenceKind, id: string) => ({ kind: 'found', as, id });

const refuse = (code: number) =>
  createDiscordDirectory({
    call: () => Promise.reject(new DiscordApiError(403, code)),
    time: new TestTime(),
  });

describe('a lookup by id', () => {
  test('finds people everywhere, roles and channels of the guild, and nothing else', async () => {
    const find = harness();
    expect(await find(['person'], 'id', GRACE)).toEqual(match('person', GRACE));
    expect(await find(['person'], 'id', '199')).toEqual({ kind: 'not-found' });
    expect(await find(['person', 'group'], 'id', SALES)).toEqual(match('group', `&${SALES}`));
    expect(await find(['channel'], 'id', GENERAL)).toEqual(match('channel', GENERAL));
    expect(await find(['channel'], 'id', '399')).toEqual({ kind: 'not-found' });
  });

  test('does not accept a thread as a channel with settings', async () => {
    const id = discord.core.say('ada', '@parley hi');
    const thread = discord.core.thread('ada', id, 'A thread');
    expect(await harness()(['channel'], 'id', thread)).toEqual({ kind: 'not-found' });
  });

  test('accepts a channel that the bot cannot see, and rejects a channel of another guild', async () => {
    const reference = { kinds: ['channel' as const], by: 'id' as const, value: LOUNGE, mentioned: false };
    const place = { workspace: workspaceId(GUILD) };
    expect(await refuse(50_001).find(place, reference)).toEqual(match('channel', LOUNGE));
    const elsewhere = createDiscordDirectory({ call: async () => ({ guild_id: '1' }), time: new TestTime() });
    expect(await elsewhere.find(place, reference)).toEqual({ kind: 'not-found' });
  });
});

test('a lookup by name finds people by their whole name, roles and channels', async () => {
  const find = harness();
  expect(await find(['person'], 'name', 'grace')).toEqual(match('person', GRACE));
  expect(await find(['person'], 'name', 'grace hopper')).toEqual(match('person', GRACE));
  expect(await find(['person'], 'name', 'gra')).toEqual({ kind: 'not-found' });
  expect(await find(['person', 'group'], 'name', 'sales')).toEqual(match('group', `&${SALES}`));
  expect(await find(['channel'], 'name', 'general')).toEqual(match('channel', GENERAL));
  expect(await find(['channel'], 'name', 'nowhere')).toEqual({ kind: 'not-found' });
});

test('outside of guilds there are no roles, and no search for people', async () => {
  const find = harness(workspaceId(NO_GUILD));
  expect(await find(['person'], 'id', GRACE)).toEqual(match('person', GRACE));
  expect(await find(['group'], 'id', SALES)).toEqual({ kind: 'not-found' });
  expect(await find(['person'], 'name', 'grace')).toEqual({ kind: 'unavailable' });
});

test('a refused or failed search is unknown, not empty', async () => {
  for (const error of [new DiscordApiError(403, 50_001), new Error('timed out')]) {
    const directory = createDiscordDirectory({ call: () => Promise.reject(error), time: new TestTime() });
    const reference = { kinds: ['person' as const], by: 'name' as const, value: 'grace', mentioned: false };
    const result = await directory.find({ workspace: workspaceId(GUILD) }, reference);
    expect(result).toEqual({ kind: 'unavailable' });
  }
});
