import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { createSlackForms } from '../../../../functions/composition/slack/slack-forms.ts';
import { userId, workspaceId } from '../../../../shared/domain/index.ts';
import { parseCommand } from '../../../../shared/platforms/slack/inbound/interactions.ts';
import { readSlackFrontConfig } from '../../../../shared/runtime/config/front-config.ts';
import { FrontStore } from '../../../../shared/storage/interactions/front-store.ts';
import { Installs } from '../../../../shared/storage/installs/installs.ts';
import { SettingsStore } from '../../../../shared/storage/settings/settings-store.ts';
import { createMemoryDynamo } from '../../../fakes/dynamo.ts';
import { ENV } from '../../../isolation/environment.ts';
import { NOW } from '../../slack.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A Slack in which the token of the deployment is that of T1. */
async function slack() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const method = (request.url ?? '').slice('/api/'.length);
    requests.push(`${method} ${request.headers.authorization}`);
    response.end(method === 'auth.test' ? '{"ok":true,"team_id":"T1"}' : '{"ok":true}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return { requests, url: `http://127.0.0.1:${address.port}/api/` };
}

/** The modals of a front, with tables in memory and a KMS that encrypts nothing. */
async function forms() {
  const { requests, url } = await slack();
  const dynamo = createMemoryDynamo();
  const table = ENV.CONVERSATIONS_TABLE;
  const store = { dynamo, table, days: 30, now: () => NOW };
  const encryptor = {
    encrypt: async (text: string) => Buffer.from(text),
    decrypt: async () => '{"botToken":"of-T2"}',
  };
  const installs = new Installs({ ...store, encryptor, unique: () => '1' });
  const logged: string[] = [];
  const config = readSlackFrontConfig({ ...ENV, SLACK_API_URL: url });
  const ground = {
    aws: async () => ({ SecretString: '{"botToken":"of-T1"}' }),
    installs,
    settingsStore: new SettingsStore(store),
    store: new FrontStore({ send: async () => ({}), table, days: 30, now: () => NOW }),
    now: () => NOW,
  };
  const open = createSlackForms(config, ground, (event, facts) =>
    logged.push(JSON.stringify({ event, ...facts })),
  );
  const inWorkspace = (team: string) => {
    const words = {
      command: '/parley',
      text: 'persona save',
      channel_id: 'C1',
      user_id: 'U1',
      team_id: team,
    };
    const parsed = parseCommand({ ...words, trigger_id: '1.2', response_url: 'https://x.example' }, NOW);
    if (!parsed) throw new Error('no call');
    return open(parsed);
  };
  return { inWorkspace, installs, requests, logged };
}

const T2 = workspaceId('T2');

test('after an uninstall no modal is opened with the token of the deployment, which belongs to another workspace', async () => {
  const { inWorkspace, installs, requests, logged } = await forms();
  const [by, botUser] = [userId('U1'), userId('UBOT')];
  await installs.save({ workspace: T2, name: 'Two', botToken: 'of-T2', botUser, scopes: '', by, at: NOW });
  expect(await inWorkspace('T2')).toBe(true);
  expect(requests.every((one) => one.endsWith('Bearer of-T2'))).toBe(true);
  await installs.remove(T2, NOW + 1);
  requests.length = 0;

  expect(await inWorkspace('T2')).toBe(false);
  expect(requests).toEqual(['auth.test Bearer of-T1']);
  expect(logged).toHaveLength(1);

  expect(await inWorkspace('T1')).toBe(true);
  expect(requests.filter((one) => one.startsWith('auth.test'))).toHaveLength(1);
  expect(requests).toContain('views.open Bearer of-T1');
});
