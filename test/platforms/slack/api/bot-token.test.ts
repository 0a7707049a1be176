import { describe, expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../../shared/domain/index.ts';
import {
  type BotTokenContext,
  createBotTokenProvider,
} from '../../../../shared/platforms/slack/api/bot-token.ts';
import { SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { type Install, Installs } from '../../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../../fakes/dynamo.ts';

const HOUR = 60 * 60_000;
const T1 = workspaceId('T1');
const T2 = workspaceId('T2');

/** Simulates the renewal of Slack tokens: each refresh token works once. */
function createRenewalServer(now: () => number) {
  let count = 0;
  let validToken = 'xoxe-0';
  return {
    used: [] as string[],
    async renew(this: { used: string[] }, token: string) {
      this.used.push(token);
      if (token !== validToken) throw Object.assign(new Error('no'), { code: 'invalid_refresh_token' });
      count += 1;
      validToken = `xoxe-${count}`;
      return { botToken: `xoxb-${count}`, renewal: { token: validToken, until: now() + 12 * HOUR } };
    },
  };
}

const install = (until?: number): Install => ({
  workspace: T1,
  name: 'Acme',
  botToken: 'xoxb-0',
  botUser: userId('UBOT'),
  scopes: '',
  by: userId('U1'),
  at: 0,
  renewal: until === undefined ? undefined : { token: 'xoxe-0', until },
});

function harness() {
  let clock = 1_000_000;
  let counter = 0;
  const now = () => clock;
  const encryptor = {
    encrypt: async (text: string) => Buffer.from(text),
    decrypt: async (ciphertext: Uint8Array) => Buffer.from(ciphertext).toString(),
  };
  const dynamo = createMemoryDynamo();
  const unique = () => `v${(counter += 1)}`;
  const installs = new Installs({ dynamo, table: 'conversations', encryptor, now, unique });
  const server = createRenewalServer(now);
  const events: string[] = [];
  const worker = (
    renew = (token: string) => server.renew(token),
    getOwnToken: BotTokenContext['getOwnToken'] = async () => 'xoxb-own',
  ) =>
    createBotTokenProvider({
      installs,
      getOwnToken,
      renew,
      time: { now, sleep: async (ms) => void (clock += ms) },
      log: (event) => void events.push(event),
    });
  return { installs, worker, server, events, now, pass: (ms: number) => (clock += ms) };
}

describe('the bot token of a workspace', () => {
  test("is that of its install, otherwise the deployment's own; a removal takes effect within five minutes", async () => {
    const { installs, worker, now, pass } = harness();
    await installs.save(install());
    const token = worker();
    expect(await token(T1)).toBe('xoxb-0');
    expect(await token(T2)).toBe('xoxb-own');
    await installs.remove(T1, now());
    expect(await token(T1)).toBe('xoxb-0');
    pass(5 * 60_000);
    expect(await token(T1)).toBe('xoxb-own');
  });

  test('is that of a new install at once with `refresh`, also where it was cached that there is none', async () => {
    const { installs, worker, pass } = harness();
    const token = worker(undefined, async () =>
      Promise.reject(new SlackApiError('auth.test', 'account_inactive')),
    );
    await expect(token(T1)).rejects.toThrow('account_inactive');
    pass(60_000);
    await installs.save(install());
    expect(await token(T1, { refresh: true })).toBe('xoxb-0');
    expect(await token(T1)).toBe('xoxb-0');
  });

  test('is renewed once, two hours before it expires, by one of many workers', async () => {
    const { installs, worker, server, now, pass } = harness();
    await installs.save(install(now() + 12 * HOUR));
    const workers = Array.from({ length: 20 }, () => worker());
    const all = () => Promise.all(workers.map((token) => token(T1)));
    expect(new Set(await all())).toEqual(new Set(['xoxb-0']));
    pass(10 * HOUR + 1);
    const tokens = await all();
    expect(tokens.every((token) => token === 'xoxb-0' || token === 'xoxb-1')).toBe(true);
    expect(server.used).toEqual(['xoxe-0']);
    expect(new Set(await all())).toEqual(new Set(['xoxb-1']));
    pass(11 * HOUR);
    await all();
    expect(server.used).toEqual(['xoxe-0', 'xoxe-1']);
  });

  test('is awaited by other workers while one worker renews an expired token', async () => {
    const { installs, worker, server, now, pass } = harness();
    await installs.save(install(now() + HOUR));
    pass(2 * HOUR);
    const [one, other] = [worker(), worker()];
    expect(await Promise.all([one(T1), other(T1)])).toEqual(['xoxb-1', 'xoxb-1']);
    expect(server.used).toHaveLength(1);
  });

  test('stays the same if Slack is unreachable; the renewal is retried after the lease', async () => {
    const { installs, worker, server, events, now, pass } = harness();
    await installs.save(install(now() + HOUR));
    expect(await worker(() => Promise.reject(new Error('no network')))(T1)).toBe('xoxb-0');
    expect(events).toEqual(['slack.token-renewal-failed']);
    pass(30_001);
    expect(await worker()(T1)).toBe('xoxb-1');
    expect(server.used).toEqual(['xoxe-0']);
  });
});
