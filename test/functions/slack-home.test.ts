import { expect, test } from '@jest/globals';
import { createSlackAdapter } from '../../functions/composition/slack/adapter.ts';
import { userId, workspaceId } from '../../shared/domain/index.ts';
import { readWorkerConfig } from '../../shared/runtime/config/config.ts';
import { SlackApiError } from '../../shared/platforms/slack/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { awsClientFor } from '../isolation/simulated-aws.ts';
import { ENV } from '../isolation/environment.ts';

/**
 * The worker's side of Slack, and the token of each request. `whose` is the workspace that Slack returns for the
 * token of the deployment.
 */
function side(identity: object) {
  const called: string[] = [];
  /** How many clients of Slack were created. */
  const clients = { created: 0 };
  const dynamo = createMemoryDynamo();
  const secrets = {
    'slack-bot': { botToken: 'xoxb-own' },
    'slack-oauth': { clientId: 'c', clientSecret: 's' },
  };
  const aws = awsClientFor({ tables: dynamo, send: () => Promise.resolve(), secrets });
  const adapter = createSlackAdapter(readWorkerConfig(ENV), {
    aws,
    dynamo,
    log: () => undefined,
    webCall: ({ token }) => {
      clients.created += 1;
      return async (method) => {
        called.push(`${method} by ${await token()}`);
        if (method === 'auth.test') return { ok: true, ...identity };
        if (method === 'usergroups.list') return { ok: true, usergroups: [] };
        return { ok: true, user: { id: 'U1', is_admin: true, team_id: 'T1' } };
      };
    },
  });
  return { ...adapter, called, clients };
}

const standingIn = (workspace: string, identity: object) => {
  const { memberRoles: standing, called } = side(identity);
  const roles = standing({ platform: 'slack', workspace: workspaceId(workspace) }, userId('U1'));
  return { roles, called };
};

test('the token of the deployment serves its own workspace', async () => {
  const { roles, called } = standingIn('T1', { team_id: 'T1' });
  expect(await roles).toMatchObject({ admin: true });
  expect(called[0]).toBe('auth.test by xoxb-own');
  expect(called.filter((one) => one.startsWith('auth.test'))).toHaveLength(1);
});

test('the token of the deployment serves its own organization', async () => {
  const { roles } = standingIn('E1', { team_id: 'T1', enterprise_id: 'E1', is_enterprise_install: true });
  expect((await roles).roles).toEqual([]);
});

test.each([
  ['another workspace, which has removed the app', 'T2', { team_id: 'T1' }],
  [
    'the organization of its workspace',
    'E1',
    { team_id: 'T1', enterprise_id: 'E1', is_enterprise_install: false },
  ],
])('the token of the deployment does not serve %s', async (_, workspace, identity) => {
  const { roles, called } = standingIn(workspace, identity);
  await expect(roles).rejects.toThrow(SlackApiError);
  expect(called).toEqual(['auth.test by xoxb-own']);
});

test('a process keeps the clients of 500 workspaces, those that were used last', async () => {
  const { userProfile, clients } = side({ team_id: 'T1' });
  const use = async (n: number): Promise<number> => {
    const before = clients.created;
    await userProfile({ platform: 'slack', workspace: workspaceId(`T${n}`) }, userId('U1'));
    return clients.created - before;
  };
  // The first one also creates the client that asks for the workspace of the token.
  await use(1);
  for (let n = 2; n <= 500; n += 1) expect(await use(n)).toBe(1);
  expect(await use(1)).toBe(0);
  expect(await use(501)).toBe(1);
  // The one that was not used for the longest time is gone.
  expect([await use(1), await use(2)]).toEqual([0, 1]);
});
