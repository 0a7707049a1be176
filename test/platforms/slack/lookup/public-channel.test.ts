import { describe, expect, test } from '@jest/globals';
import {
  createChannelAccessFinder,
  createPublicChannelFinder,
} from '../../../../shared/platforms/slack/index.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../../simulators/slack/identity.ts';
import {
  type SlackCall,
  SlackApiError,
  SlackRateLimitError,
} from '../../../../shared/platforms/slack/api/call.ts';
import { SCOPES } from '../../../../shared/platforms/slack/oauth/scopes.ts';
import { TestTime } from '../../../upstream/time.ts';

function finder(scopes: readonly string[] = SCOPES) {
  const workspace = createWorkspace({ identity: { scopes } });
  const direct = createDirectClient(workspace);
  const time = new TestTime();
  let calls = 0;
  const call: typeof direct = (method, args) => {
    calls += 1;
    return direct(method, args);
  };
  return { workspace, time, find: createPublicChannelFinder({ call, time }), calls: () => calls };
}

test('a public channel is public; the answer is cached for a minute', async () => {
  const { workspace, time, find, calls } = finder();
  expect(await find(workspace.channel)).toBe(true);
  await find(workspace.channel);
  expect(calls()).toBe(1);
  time.advance(60_001);
  await find(workspace.channel);
  expect(calls()).toBe(2);
});

test.each([
  ['the scopes of the manifest', SCOPES],
  ['all scopes', [...DEFAULT_IDENTITY.scopes, 'groups:read', 'im:read', 'mpim:read']],
])('with %s, direct messages, private channels and unknown ones are not public', async (_, scopes) => {
  const { workspace, find } = finder(scopes);
  const others = [...workspace.state.channels.values()].filter(({ kind }) => kind !== 'channel');
  expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['group', 'im', 'mpim']));
  for (const channel of [...others.map(({ id }) => id), 'C0NOWHERE0'])
    expect([channel, await find(channel)]).toEqual([channel, false]);
});

test('without the scope nothing is known to be public', async () => {
  const { workspace, find } = finder(SCOPES.filter((scope) => scope !== 'channels:read'));
  expect(await find(workspace.channel)).toBe(false);
});

const ADA = 'U0ADA00000';
const GRACE = 'U0GRACE000';
const channels = [
  { id: 'C0OTHERS00', name: 'others', kind: 'channel', members: [GRACE] },
  { id: 'G0TEAM0000', name: 'team', kind: 'group', members: [GRACE, DEFAULT_IDENTITY.botUserId] },
  { id: 'G0SECRET00', name: 'secret', kind: 'group', members: [ADA] },
] as const;

function accessFinder({ scopes = SCOPES, isGuest = false, isStranger = false } = {}) {
  const workspace = createWorkspace({
    identity: { scopes },
    channels: channels.map((one) => ({ ...one, members: [...one.members] })),
  });
  const call = createDirectClient(workspace);
  return createChannelAccessFinder({ call, readPerson: async () => ({ isGuest, isStranger }) });
}

describe('a person may read', () => {
  test.each([
    ['a public channel that they are not in', ADA, 'C0OTHERS00', {}, 'allowed'],
    ['as a guest, only a public channel that they are in', ADA, 'C0OTHERS00', { isGuest: true }, 'denied'],
    ['as a guest, a public channel that they are in', GRACE, 'C0OTHERS00', { isGuest: true }, 'allowed'],
    [
      'of another company, only a public channel that they are in',
      ADA,
      'C0OTHERS00',
      { isStranger: true },
      'denied',
    ],
    [
      'of another company, a public channel that they are in',
      GRACE,
      'C0OTHERS00',
      { isStranger: true },
      'allowed',
    ],
    ['a private channel that they are in', GRACE, 'G0TEAM0000', {}, 'allowed'],
    ['no private channel that they are not in', ADA, 'G0TEAM0000', {}, 'denied'],
    ['nobody knows what: a private channel without the bot', ADA, 'G0SECRET00', {}, 'unknown'],
    [
      'nobody knows what: a private channel, without the scope',
      ADA,
      'G0TEAM0000',
      { scopes: ['channels:read'] },
      'unknown',
    ],
  ])('%s', async (_, user, channel, options, expected) => {
    expect(await accessFinder(options)(channel, user)).toBe(expected);
  });

  const people = Array.from({ length: 4_200 }, (_, index) => `U${index}`);
  const paged = (info: object) => {
    const cursors: unknown[] = [];
    const call: SlackCall = async (method, { cursor, limit }) => {
      if (method === 'conversations.info') return { channel: info };
      cursors.push(cursor);
      const [from, size] = [Number(cursor ?? 0), Number(limit)];
      const next_cursor = from + size < people.length ? String(from + size) : '';
      return { members: people.slice(from, from + size), response_metadata: { next_cursor } };
    };
    return { cursors, find: createChannelAccessFinder({ call, readPerson: async () => ({}) }) };
  };

  test('the members of a private channel are read page by page, at most 4,000', async () => {
    const { cursors, find } = paged({ is_private: true });
    expect(await find('G1', 'U399')).toBe('allowed');
    expect(cursors).toEqual([undefined, '200']);
    expect(await find('G1', 'U3999')).toBe('allowed');
    expect(await find('G1', 'U4000')).toBe('unknown');
    expect(cursors).toHaveLength(2 + 20 + 20);
  });

  test('of an archived channel nothing is known', async () => {
    const { cursors, find } = paged({ is_private: true, is_archived: true });
    expect(await find('G1', 'nobody')).toBe('unknown');
    expect(cursors).toEqual([]);
  });

  test.each([
    ['a rate limit', new SlackRateLimitError('conversations.info', 1_000)],
    ['an error of Slack', new SlackApiError('conversations.info', 'internal_error')],
    ['members that Slack could not read', new SlackApiError('conversations.members', 'fetch_members_failed')],
    ['a lost connection', new Error('reset')],
  ])('a failure that passes is no answer: %s', async (_, error) => {
    const call: SlackCall = () => Promise.reject(error);
    const find = createChannelAccessFinder({ call, readPerson: async () => ({}) });
    await expect(find('G1', ADA)).rejects.toBe(error);
  });
});
