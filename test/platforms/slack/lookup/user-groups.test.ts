import { expect, test } from '@jest/globals';
import { workspaceId } from '../../../../shared/domain/index.ts';
import {
  SlackApiError,
  userGroupFinder,
  userProfileFinder,
  userProfileReader,
} from '../../../../shared/platforms/slack/index.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../../simulators/slack/identity.ts';
import { TestTime } from '../../../upstream/time.ts';

const groups = [
  { id: 'S0SALES000', handle: 'sales', users: ['U0ADA00000'] },
  { id: 'S0ALL00000', handle: 'all', users: ['U0ADA00000', 'U0GRACE000'] },
];

const ORG = { id: 'E0ORG00000', name: 'Org', orgInstall: true };

function finder(
  scopes: readonly string[] = DEFAULT_IDENTITY.scopes,
  enterprise?: typeof DEFAULT_IDENTITY.enterprise,
  team: string = DEFAULT_IDENTITY.teamId,
  users: typeof DEFAULT_IDENTITY.users = DEFAULT_IDENTITY.users,
) {
  const workspace = createWorkspace({
    identity: { groups, scopes, users, ...(enterprise && { enterprise }) },
  });
  const direct = createDirectClient(workspace);
  const calls: string[] = [];
  const time = new TestTime();
  const call: typeof direct = (method, args) => {
    calls.push(method);
    return direct(method, args);
  };
  return {
    find: userGroupFinder({ call, time }),
    person: userProfileFinder({ call, time, workspace: workspaceId(team) }),
    calls,
    time,
  };
}

test('the groups of a person come from one request for all groups, cached for five minutes', async () => {
  const { find, calls, time } = finder();
  expect(await find('U0ADA00000')).toEqual(['S0SALES000', 'S0ALL00000']);
  expect(await find('U0GRACE000')).toEqual(['S0ALL00000']);
  expect(await find('U0EVE00000')).toEqual([]);
  expect(calls).toEqual(['usergroups.list']);
  time.advance(5 * 60_000);
  await find('U0ADA00000');
  expect(calls).toHaveLength(2);
});

test('without the scope a person has no groups', async () => {
  expect(await finder([]).find('U0ADA00000')).toEqual([]);
});

test('a member of another organization has no groups in an organization-wide installation', async () => {
  const { find } = finder(undefined, ORG);
  expect(await find('U9VISITOR0', ['T9OTHER000'])).toEqual([]);
});

test.each(['invalid_team', 'plan_upgrade_required', 'team_access_not_granted'])(
  'a workspace without readable groups has none: %s',
  async (code) => {
    const find = userGroupFinder({
      call: (method) => Promise.reject(new SlackApiError(method, code)),
      time: new TestTime(),
    });
    expect(await find('U0ADA00000')).toEqual([]);
  },
);

test('an organization-wide installation requests the workspaces of the person', async () => {
  const { find, person } = finder(undefined, ORG);
  const { teams } = await person('U0ADA00000');
  expect(teams).toEqual([DEFAULT_IDENTITY.teamId]);
  expect(await find('U0ADA00000', teams)).toEqual(['S0SALES000', 'S0ALL00000']);
  // Without the workspaces the groups are unknown.
  await expect(find('U0ADA00000')).rejects.toMatchObject({ code: 'missing_argument' });
});

const ADA = { id: 'U0ADA00000', name: 'ada', realName: 'Ada', admin: true };
const OWNER = { id: 'U0ADA00000', name: 'ada', realName: 'Ada', organizationRole: 'owner' } as const;
const ORG_ADMIN = { ...OWNER, organizationRole: 'admin' } as const;
const ORG_OF_ONE_INSTALL = { ...ORG, orgInstall: false };

test.each([
  ['their own workspace', ADA, undefined, DEFAULT_IDENTITY.teamId, true],
  ['their own workspace, which has an organization', ADA, ORG_OF_ONE_INSTALL, DEFAULT_IDENTITY.teamId, true],
  [
    'no workspace, if they administer the organization',
    ORG_ADMIN,
    ORG_OF_ONE_INSTALL,
    DEFAULT_IDENTITY.teamId,
    false,
  ],
  ['their own organization', ORG_ADMIN, ORG, ORG.id, true],
  ['the organization that they own', OWNER, ORG, ORG.id, true],
  ['no organization, if they administer one of its workspaces', ADA, ORG, ORG.id, false],
  // In a shared channel the same response describes an administrator of another organization.
  ['no other workspace', ADA, undefined, 'T0OTHER000', false],
  ['no other organization', ORG_ADMIN, ORG, 'E0OTHER000', false],
])('an administrator administers %s', async (_, ada, org, home, admin) => {
  expect((await finder(undefined, org, home, [ada]).person('U0ADA00000')).admin).toBe(admin);
});

test('a person of another company is a stranger, and nobody else is', async () => {
  const visitor = { id: 'U9VERA0000', name: 'vera', realName: 'Vera', teamId: 'T9OTHER000' };
  for (const [org, home] of [
    [undefined, DEFAULT_IDENTITY.teamId],
    [ORG, ORG.id],
  ] as const) {
    const { person } = finder(undefined, org, home, [...DEFAULT_IDENTITY.users, visitor]);
    expect(await person('U9VERA0000')).toMatchObject({ isStranger: true });
    expect(await person('U0ADA00000')).not.toHaveProperty('isStranger');
  }
});

test('a person whose account is deactivated, or whom Slack does not know, has left; nobody has who cannot be read', async () => {
  const left = { id: 'U0LEFT0000', name: 'lou', realName: 'Lou', admin: true, deactivated: true };
  const { person } = finder(undefined, undefined, undefined, [...DEFAULT_IDENTITY.users, left]);
  expect(await person('U0LEFT0000')).toMatchObject({ hasLeft: true, admin: false });
  expect(await person('U0NOBODY00')).toEqual({ hasLeft: true });
  expect(await person('U0ADA00000')).not.toHaveProperty('hasLeft');
  expect(await finder([]).person('U0ADA00000')).toEqual({});
});

const refuseToShow = (method: string) => Promise.reject(new SlackApiError(method, 'user_not_visible'));

test('a person whom the app may not see is a stranger and no administrator, and has not left', async () => {
  const read = userProfileReader({ call: refuseToShow, time: new TestTime(), workspace: workspaceId('T1') });
  expect(await read('U0ADA00000')).toEqual({ isStranger: true });
});

test('whether a person is an administrator is unknown while Slack does not respond, instead of no', async () => {
  const down = { call: () => Promise.reject(new Error('the line broke')), time: new TestTime() };
  await expect(userProfileReader(down)('U0ADA00000')).rejects.toThrow('the line broke');
  expect(await userProfileFinder(down)('U0ADA00000')).toEqual({});
});
