import { describe, expect, test } from '@jest/globals';
import { channelId, workspaceId } from '../../../../shared/domain/index.ts';
import type { DirectoryReference, ReferenceKind } from '../../../../shared/platforms/ports/directory.ts';
import {
  createSlackDirectory,
  SlackRateLimitError,
  type SlackCall,
  SlackApiError,
} from '../../../../shared/platforms/slack/index.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY, type Identity } from '../../../simulators/slack/identity.ts';
import { TestTime } from '../../../upstream/time.ts';

const WORKSPACE = workspaceId(DEFAULT_IDENTITY.teamId);
const groups = [{ id: 'S0SALES000', handle: 'sales', users: [] }];
const users = [
  ...DEFAULT_IDENTITY.users,
  { id: 'U0SAM00001', name: 'sam', realName: 'Sam Poe' },
  { id: 'U0SAM00002', name: 'sam.lee', realName: 'Sam' },
  { id: 'U0ALEX0001', name: 'alex1', realName: 'Alex Kim' },
  { id: 'U0ALEX0002', name: 'alex2', realName: 'Alex Kim' },
];

function harness(identity: Partial<Identity> = {}, answer?: SlackCall) {
  const workspace = createWorkspace({
    identity: { users, groups, ...identity },
  });
  const direct = answer ?? createDirectClient(workspace);
  const calls: string[] = [];
  const time = new TestTime();
  const call: SlackCall = (method, args) => {
    calls.push(method);
    return direct(method, args);
  };
  const directory = createSlackDirectory({ call, time });
  const find = (kinds: ReferenceKind[], by: DirectoryReference['by'], value: string, mentioned = false) =>
    directory.find(
      { workspace: WORKSPACE, channel: channelId('C0HERE0000') },
      { kinds, by, value, mentioned },
    );
  const channelOf = (name: string) =>
    [...workspace.state.channels.values()].find((one) => one.name === name)?.id ?? '';
  return { find, calls, time, channelOf };
}
const reference = (as: ReferenceKind, id: string) => ({ kind: 'found', as, id });

/** A Slack with this many pages of one person each. */
const pages =
  (pageSize: number): SlackCall =>
  async (_, { cursor = '0' }) => {
    const nth = Number(cursor);
    const next_cursor = nth + 1 < pageSize ? String(nth + 1) : '';
    return {
      ok: true,
      members: [{ id: `U${nth}`, name: `n${nth}` }],
      response_metadata: { next_cursor },
    };
  };

describe('a lookup by id', () => {
  test('finds existing people and groups only', async () => {
    const { find } = harness();
    expect(await find(['person'], 'id', 'U0GRACE000')).toEqual(reference('person', 'U0GRACE000'));
    expect(await find(['person'], 'id', 'U0NOBODY00')).toEqual({ kind: 'not-found' });
    expect(await find(['group'], 'id', 'S0SALES000')).toEqual(reference('group', 'S0SALES000'));
    expect(await find(['group'], 'id', 'S0NONE0000')).toEqual({ kind: 'not-found' });
  });

  test('finds channels with and without the bot, and the channel of the interaction', async () => {
    const { find, channelOf, calls } = harness();
    const general = channelOf('general');
    expect(await find(['channel'], 'id', general)).toEqual(reference('channel', general));
    expect(await find(['channel'], 'id', 'C0NONE0000')).toEqual({ kind: 'not-found' });
    const before = calls.length;
    expect(await find(['channel'], 'id', 'C0HERE0000')).toEqual(reference('channel', 'C0HERE0000'));
    expect(calls).toHaveLength(before);
  });

  test('accepts a private channel that Slack mentions, though the bot cannot see it yet', async () => {
    const { find } = harness();
    expect(await find(['channel'], 'id', 'C0SECRET00', true)).toEqual(reference('channel', 'C0SECRET00'));
  });

  test('checks a channel without reading its history, which some apps may do once a minute', async () => {
    const { find, channelOf, calls } = harness();
    await find(['channel'], 'id', channelOf('general'));
    await find(['channel'], 'id', channelOf('lab'));
    await find(['channel'], 'id', 'C0NONE0000');
    expect(new Set(calls)).toEqual(new Set(['conversations.info']));
  });

  test('checks a channel by its history where the scope is missing', async () => {
    const { find, channelOf, calls } = harness({ scopes: ['channels:history'] });
    const general = channelOf('general');
    expect(await find(['channel'], 'id', general)).toEqual(reference('channel', general));
    expect(calls).toEqual(['conversations.info', 'conversations.history']);
  });

  test('accepts a channel without the bot', async () => {
    const { find } = harness({}, (method) =>
      Promise.reject(
        new SlackApiError(method, method === 'conversations.info' ? 'missing_scope' : 'not_in_channel'),
      ),
    );
    expect(await find(['channel'], 'id', 'C0OTHER000')).toEqual(reference('channel', 'C0OTHER000'));
  });
});

describe('a lookup by name', () => {
  test('prefers the account name of a person to their display name', async () => {
    const { find } = harness();
    expect(await find(['person'], 'name', 'grace')).toEqual(reference('person', 'U0GRACE000'));
    expect(await find(['person'], 'name', 'grace hopper')).toEqual(reference('person', 'U0GRACE000'));
    expect(await find(['person'], 'name', 'sam')).toEqual(reference('person', 'U0SAM00001'));
    expect(await find(['person'], 'name', 'alex kim')).toEqual({ kind: 'ambiguous' });
    expect(await find(['person'], 'name', 'nobodyatall')).toEqual({ kind: 'not-found' });
  });

  test('finds a group by its handle, and no channel', async () => {
    const { find } = harness();
    expect(await find(['person', 'group'], 'name', 'sales')).toEqual(reference('group', 'S0SALES000'));
    expect(await find(['channel'], 'name', 'general')).toEqual({ kind: 'unavailable' });
  });

  test('lists all entries once in five minutes, page by page, up to a maximum', async () => {
    const { find, calls, time } = harness({}, pages(3));
    expect(await find(['person'], 'name', 'n2')).toEqual(reference('person', 'U2'));
    expect(await find(['person'], 'name', 'n3')).toEqual({ kind: 'not-found' });
    expect(calls).toHaveLength(3);
    time.advance(300_001);
    await find(['person'], 'name', 'n1');
    expect(calls).toHaveLength(6);
    const huge = harness({}, pages(1_000));
    expect(await huge.find(['person'], 'name', 'n999')).toEqual({ kind: 'unavailable' });
    expect(huge.calls).toHaveLength(10);
  });
});

test('that Slack refuses or fails is unknown, not empty', async () => {
  const { find } = harness({ scopes: [] });
  for (const by of ['id', 'name'] as const)
    for (const kind of ['person', 'group', 'channel'] as const)
      expect([by, kind, await find([kind], by, 'U0ADA00000')]).toEqual([by, kind, { kind: 'unavailable' }]);
  const busy = harness({}, (method) => Promise.reject(new SlackRateLimitError(method, 1_000)));
  expect(await busy.find(['person'], 'id', 'U0ADA00000')).toEqual({ kind: 'unavailable' });
});

test('of an organization-wide installation uses the workspace of the author', async () => {
  const cursors: unknown[] = [];
  const call: SlackCall = async (_, { team_id }) => {
    cursors.push(team_id);
    return { ok: true, members: [], usergroups: [], response_metadata: {} };
  };
  const directory = createSlackDirectory({ call, time: new TestTime() });
  const place = { workspace: workspaceId('E0ORG00000'), team: WORKSPACE };
  await directory.find(place, { kinds: ['person', 'group'], by: 'name', value: 'ada', mentioned: false });
  expect(cursors).toEqual([WORKSPACE, WORKSPACE]);
});
