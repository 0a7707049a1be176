import { describe, expect, test } from '@jest/globals';
import { DEFAULT_IDENTITY, identityOf, type Person } from './identity.ts';
import { ADA, GRACE, inner, setUp, text } from './harness.ts';
import { createWorkspace } from './workspace.ts';

const EVE = 'U0EVE00000';
const eve = {
  id: EVE,
  name: 'eve',
  realName: 'Eve',
  teamId: 'T0OTHER000',
  tz: 'Asia/Tokyo',
  tzOffset: 32_400,
  locale: 'ja-JP',
};
const shared = {
  id: 'C0SHARED00',
  name: 'shared',
  kind: 'channel',
  members: [ADA, EVE, DEFAULT_IDENTITY.botUserId],
  connected: ['T0OTHER000'],
} as const;
const connect = (visitor: Person = eve) =>
  setUp({
    identity: { users: [...DEFAULT_IDENTITY.users, visitor] },
    channels: [{ ...shared, members: [...shared.members], connected: ['T0OTHER000'] }],
  });

describe('a channel shared with another organization', () => {
  test('has events from both sides, which are sent to the app', () => {
    const { workspace, events } = connect();
    workspace.say(EVE, '@parley hi', { channel: 'shared' });
    workspace.say(ADA, 'hello', { channel: 'shared' });
    expect(events).toMatchObject([
      { team_id: 'T0PARLEY00', context_team_id: 'T0PARLEY00', is_ext_shared_channel: true },
      { team_id: 'T0OTHER000', context_team_id: 'T0PARLEY00', authorizations: [{ team_id: 'T0PARLEY00' }] },
      { team_id: 'T0PARLEY00', context_team_id: 'T0PARLEY00', is_ext_shared_channel: true },
    ]);
    const marks = { user_team: 'T0OTHER000', source_team: 'T0OTHER000' };
    expect(inner(events[0])).toMatchObject({ user: EVE, team: 'T0PARLEY00', ...marks });
    expect(inner(events[1])).toMatchObject({ user: EVE, team: 'T0OTHER000', ...marks });
    const ts = text(inner(events[0])['ts']);
    workspace.edit(EVE, 'shared', ts, '@parley hi again');
    expect(events.at(-1)).toMatchObject({ team_id: 'T0OTHER000', context_team_id: 'T0PARLEY00' });
  });

  test('has mentions by people of an organization with its id alone, and messages with their workspace', () => {
    const { workspace, events } = connect({ ...eve, organizationId: 'E0OTHER000' });
    workspace.say(EVE, '@parley hi', { channel: 'shared' });
    const [mention, message] = events;
    expect(mention).not.toHaveProperty('enterprise_id');
    expect(mention).toMatchObject({ team_id: 'T0PARLEY00' });
    const marks = { user_team: 'E0OTHER000', source_team: 'E0OTHER000' };
    expect(inner(mention)).toMatchObject({ type: 'app_mention', team: 'T0PARLEY00', ...marks });
    expect(message).toMatchObject({ team_id: 'T0OTHER000', enterprise_id: 'E0OTHER000' });
    expect(inner(message)).toMatchObject({ type: 'message', team: 'T0OTHER000' });
  });

  test('streams to people with the team id of their own organization', () => {
    const { workspace, call } = connect();
    const thread_ts = workspace.say(EVE, '@parley hi', { channel: 'shared' });
    const start = (team: string, user = EVE) =>
      call('chat.startStream', {
        channel: shared.id,
        thread_ts,
        recipient_team_id: team,
        recipient_user_id: user,
      });
    expect(start('T0PARLEY00')).toMatchObject({ error: 'user_not_found' });
    expect(start('T0NOWHERE')).toMatchObject({ error: 'team_not_found' });
    expect(start('T0OTHER000')).toMatchObject({ ok: true });
    expect(start('T0PARLEY00', ADA)).toMatchObject({ ok: true });
  });

  test('has modals with the team of the person who submits them, and of the app in the view', () => {
    const { workspace, call } = connect();
    const title = { type: 'plain_text', text: 'A form' };
    const blocks = [{ type: 'actions', elements: [{ type: 'button', action_id: 'go', text: title }] }];
    const { ts } = call('chat.postMessage', { channel: shared.id, text: 'x', blocks });
    const { trigger_id, team } = workspace.press(EVE, text(ts), 'go');
    expect(team).toMatchObject({ id: 'T0PARLEY00' });
    call('views.open', { trigger_id, view: { type: 'modal', title, submit: title, blocks: [] } });
    expect(workspace.submission(EVE, {})).toMatchObject({
      team: { id: 'T0OTHER000' },
      user: { id: EVE, team_id: 'T0OTHER000' },
      view: { team_id: 'T0OTHER000', app_installed_team_id: 'T0PARLEY00' },
    });
  });

  test('shows people as Slack does', () => {
    const { workspace, call } = connect();
    expect(call('users.info', { user: EVE, include_locale: true })).toMatchObject({
      user: {
        team_id: 'T0OTHER000',
        is_stranger: true,
        tz: 'Asia/Tokyo',
        tz_offset: 32_400,
        locale: 'ja-JP',
      },
    });
    expect(call('users.info', { user: ADA })['user']).not.toHaveProperty('locale');
    expect(call('conversations.info', { channel: shared.id })).toMatchObject({
      channel: { is_ext_shared: true, connected_team_ids: ['T0OTHER000'] },
    });
    expect(() => workspace.say(EVE, 'hi')).toThrow('not in general');
  });
});

describe('an organization', () => {
  test('with an organization-wide installation has events of no single workspace', () => {
    const enterprise = { id: 'E0ORG', name: 'Org', orgInstall: true };
    const { workspace, events, call } = setUp({ identity: { enterprise } });
    workspace.say(ADA, 'hi', { channel: 'dm' });
    expect(events[0]).toMatchObject({
      team_id: 'T0PARLEY00',
      enterprise_id: 'E0ORG',
      context_enterprise_id: 'E0ORG',
      authorizations: [{ enterprise_id: 'E0ORG', team_id: null, is_enterprise_install: true }],
    });
    expect(call('auth.test')).toMatchObject({
      team_id: 'E0ORG',
      enterprise_id: 'E0ORG',
      is_enterprise_install: true,
    });
  });

  test('with an installed workspace has events of that workspace', () => {
    const enterprise = { id: 'E0ORG', name: 'Org', orgInstall: false };
    const { workspace, events, call } = setUp({ identity: { enterprise } });
    workspace.say(ADA, 'hi', { channel: 'dm' });
    expect(events[0]).toMatchObject({
      authorizations: [{ enterprise_id: 'E0ORG', team_id: 'T0PARLEY00', is_enterprise_install: false }],
    });
    expect(call('auth.test')).toMatchObject({ team_id: 'T0PARLEY00', is_enterprise_install: false });
  });

  test.each([true, false])(
    'that removes the app names the installation (for all of it: %s)',
    (orgInstall) => {
      const { workspace, events } = setUp({
        identity: {
          enterprise: { id: 'E0ORG', name: 'Org', orgInstall },
          subscriptions: ['app_uninstalled', 'tokens_revoked'],
        },
      });
      workspace.uninstall();
      expect(events).toHaveLength(2);
      for (const event of events) {
        expect(event).toMatchObject({ enterprise_id: 'E0ORG' });
        expect(event['team_id']).toBe(orgInstall ? undefined : 'T0PARLEY00');
      }
    },
  );
});

describe('a group DM', () => {
  test('sends message.mpim; a mention in it is sent twice', () => {
    const { workspace, events, call } = setUp();
    const opened = call('conversations.open', { users: `${GRACE},${ADA}` });
    expect(opened).toMatchObject({
      already_open: true,
      channel: { is_mpim: true, is_im: false, is_private: true, name: 'mpdm-ada--grace--parley-1' },
    });
    const group = [...workspace.state.channels.values()].find(({ kind }) => kind === 'mpim');
    workspace.say(ADA, 'hello', { channel: group?.id });
    workspace.say(ADA, '@parley hello', { channel: group?.id });
    expect(events.map(inner)).toMatchObject([
      { type: 'message', channel_type: 'mpim', channel: group?.id },
      { type: 'app_mention' },
      { type: 'message', channel_type: 'mpim' },
    ]);
    expect(call('conversations.open', { users: `${GRACE},U0NOBODY` })).toMatchObject({
      error: 'user_not_found',
    });
  });
});

const now = (): number => 1_750_000_000_000;

test('workspaces of one server have no id in common, also at the same time', () => {
  const ids = [0, 1, 2].map((nth) => {
    const workspace = createWorkspace({ clock: now, nth });
    const fileIds = new Set<string>();
    workspace.onEvent((envelope) => fileIds.add(envelope.event_id));
    for (let i = 0; i < 20; i += 1)
      workspace.say(nthUser(nth), '@parley hi', { files: [{ name: 'a', content: '' }] });
    const { teamId, botUserId, botId, botToken, users: people } = workspace.identity;
    for (const id of [teamId, botUserId, botId, botToken, ...people.map((one) => one.id)]) fileIds.add(id);
    for (const id of [...workspace.state.channels.keys(), ...workspace.state.files.keys()]) fileIds.add(id);
    return fileIds;
  });
  expect(new Set(ids.flatMap((some) => [...some])).size).toBe(ids.reduce((sum, some) => sum + some.size, 0));
});

const nthUser = (nth: number): string => identityOf(nth).users[0]?.id ?? '';
