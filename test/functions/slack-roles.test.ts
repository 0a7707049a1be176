import { expect, test } from '@jest/globals';
import { createSlackAdapter } from '../../functions/composition/slack/adapter.ts';
import { userId, workspaceId } from '../../shared/domain/index.ts';
import { readWorkerConfig } from '../../shared/runtime/config/config.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { ENV } from '../isolation/environment.ts';
import { awsClientFor } from '../isolation/simulated-aws.ts';
import { createDirectClient } from '../simulators/slack/direct-client.ts';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import { createWorkspace } from '../simulators/slack/index.ts';

const ORG = { id: 'E0ORG00000', name: 'Org', orgInstall: true };
const withoutUsers = DEFAULT_IDENTITY.scopes.filter((scope) => scope !== 'users:read');

/** The roles of a person, from a simulated Slack where the app is installed in one workspace or in the whole organization. */
function findRoles(install: 'workspace' | 'organization', scopes: readonly string[], user: string) {
  const groups = [{ id: 'S0SALES000', handle: 'sales', users: ['U0ADA00000'] }];
  const enterprise = install === 'organization' ? { enterprise: ORG } : {};
  const call = createDirectClient(createWorkspace({ identity: { groups, scopes, ...enterprise } }));
  const dynamo = createMemoryDynamo();
  const aws = awsClientFor({ tables: dynamo, send: () => Promise.resolve(), secrets: {} });
  const clients = { aws, dynamo, log: () => undefined, webCall: () => call };
  const workspace = workspaceId(install === 'organization' ? ORG.id : DEFAULT_IDENTITY.teamId);
  const { memberRoles } = createSlackAdapter(readWorkerConfig(ENV), clients);
  return memberRoles({ platform: 'slack', workspace }, userId(user));
}

test.each(['workspace', 'organization'] as const)(
  '%s: a person has the groups they are in',
  async (install) => {
    expect(await findRoles(install, DEFAULT_IDENTITY.scopes, 'U0ADA00000')).toMatchObject({
      roles: ['S0SALES000'],
    });
  },
);

test('without `users:read` the app finds the groups of a person in its workspace', async () => {
  expect(await findRoles('workspace', withoutUsers, 'U0ADA00000')).toMatchObject({ roles: ['S0SALES000'] });
});

test.each([
  ['the app may not read their workspaces', withoutUsers, 'U0ADA00000', undefined],
  ['Slack does not know them any more', DEFAULT_IDENTITY.scopes, 'U0NOBODY00', true],
])('organization: a person has no groups where %s', async (_, scopes, user, hasLeft) => {
  expect(await findRoles('organization', scopes, user)).toEqual({ admin: false, roles: [], hasLeft });
});
