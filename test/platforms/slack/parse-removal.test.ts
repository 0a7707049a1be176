import { describe, expect, test } from '@jest/globals';
import { parseEvent } from '../../../shared/platforms/slack/inbound/parse-event.ts';

const AT = 1_700_000_000;
const UNINSTALLED = { type: 'app_uninstalled' };

const read = (event: object, envelope: object) => {
  const body = { type: 'event_callback', api_app_id: 'A1', event_time: AT, event, ...envelope };
  const parsed = parseEvent(body, { botUserId: 'UBOT' });
  return parsed.kind === 'chatEvent' ? parsed.chatEvent : parsed;
};
const removalOf = (workspace: string) => ({
  kind: 'app-uninstalled',
  platform: 'slack',
  workspace,
  at: AT * 1_000 + 999,
});

describe('app_uninstalled', () => {
  test('removes the app from a workspace, with or without a remaining authorization', () => {
    expect(read(UNINSTALLED, { team_id: 'T1' })).toEqual(removalOf('T1'));
    expect(read(UNINSTALLED, { team_id: 'T1', authorizations: [] })).toEqual(removalOf('T1'));
  });

  test('removes it from a workspace of an organization that has its own installation', () => {
    expect(read(UNINSTALLED, { team_id: 'T1', enterprise_id: 'E1' })).toEqual(removalOf('T1'));
  });

  test.each([
    ['alone', { enterprise_id: 'E1' }],
    ['and no team', { enterprise_id: 'E1', team_id: null, authorizations: [] }],
    ['in an authorization', { authorizations: [{ enterprise_id: 'E1', is_enterprise_install: true }] }],
  ])('removes it from a whole organization, which is named %s', (_how, envelope) => {
    expect(read(UNINSTALLED, envelope)).toEqual(removalOf('E1'));
  });

  test('without a team and an organization is malformed', () => {
    expect(read(UNINSTALLED, {})).toEqual({ kind: 'unreadable' });
  });
});

test.each(['channel_deleted', 'group_deleted'])('%s names the channel that is gone', (type) => {
  const event = { type, channel: 'C1' };
  const deletion = { kind: 'channel-deleted', platform: 'slack', workspace: 'T1', channel: 'C1' };
  expect(read(event, { team_id: 'T1' })).toEqual(deletion);
  expect(read({ ...event, channel: 7 }, { team_id: 'T1' })).toEqual({ kind: 'unreadable' });
});

const revoked = (...team_ids: string[]) => ({ type: 'team_access_revoked', team_ids });

describe('team_access_revoked', () => {
  test.each([
    ['alone', { enterprise_id: 'E1' }],
    ['beside a workspace', { enterprise_id: 'E1', team_id: 'T1' }],
    ['in an authorization', { authorizations: [{ enterprise_id: 'E1', is_enterprise_install: true }] }],
  ])(
    'removes the app of an organization from some workspaces; the organization is named %s',
    (_how, envelope) => {
      expect(read(revoked('T1', 'T2', 'T1'), envelope)).toEqual({
        kind: 'access-revoked',
        platform: 'slack',
        workspace: 'E1',
        teams: ['T1', 'T2'],
        at: AT * 1_000,
      });
    },
  );

  test('without a workspace is malformed', () => {
    expect(read(revoked(), { enterprise_id: 'E1' })).toEqual({ kind: 'unreadable' });
  });
});
