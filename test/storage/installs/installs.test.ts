import { describe, expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { type Install, Installs } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { plainEncryptor } from '../../fakes/plain-encryptor.ts';

function harness(encryptor = plainEncryptor) {
  const dynamo = createMemoryDynamo();
  let clock = 1_000_000;
  let counter = 0;
  const installs = new Installs({
    dynamo,
    table: 'conversations',
    encryptor,
    now: () => clock,
    unique: () => `v${(counter += 1)}`,
  });
  return { dynamo, installs, pass: (ms: number) => (clock += ms) };
}

const install = (id: string, changes: Partial<Install> = {}): Install => ({
  workspace: workspaceId(id),
  name: `Workspace ${id}`,
  botToken: `xoxb-${id}`,
  botUser: userId('UBOT'),
  scopes: 'chat:write',
  by: userId('U1'),
  at: 500,
  ...changes,
});

async function findInstall(installs: Installs, id: string) {
  const one = await installs.find(workspaceId(id));
  if (!one) throw new Error(`${id} is not installed`);
  return one;
}

describe('installs', () => {
  test('are found per workspace; the token is not readable in the table', async () => {
    const { dynamo, installs } = harness();
    await installs.save(install('T1', { renewal: { token: 'xoxe-1', until: 9_000 } }));
    await installs.save(install('T2'));
    expect(await installs.find(workspaceId('T1'))).toMatchObject({
      ...install('T1'),
      renewal: { token: 'xoxe-1', until: 9_000 },
    });
    expect(await installs.find(workspaceId('T2'))).toMatchObject(install('T2'));
    expect(await installs.find(workspaceId('T3'))).toBeUndefined();
    expect(JSON.stringify(dynamo.items('conversations'))).not.toMatch(/xoxb|xoxe/);
  });

  test('the bot of a workspace is known where its token cannot be decrypted', async () => {
    const { installs } = harness({
      ...plainEncryptor,
      decrypt: async () => Promise.reject(new Error('throttled')),
    });
    await installs.save(install('T1'));
    expect(await installs.findBotUser(workspaceId('T1'))).toBe('UBOT');
    expect(await installs.findBotUser(workspaceId('T2'))).toBeUndefined();
  });

  test('only one process renews a token; another one may after 30 s', async () => {
    const { installs, pass } = harness();
    await installs.save(install('T1'));
    const [one, other] = [await findInstall(installs, 'T1'), await findInstall(installs, 'T1')];
    const claims = await Promise.all([installs.claimRenewal(one), installs.claimRenewal(other)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    pass(30_001);
    expect(await installs.claimRenewal(other)).toBe(true);
  });

  test('a renewal that arrives after the next one, or after a new install, is dropped', async () => {
    const { installs } = harness();
    await installs.save(install('T1'));
    const old = await findInstall(installs, 'T1');
    expect(await installs.saveRenewed({ ...old, botToken: 'xoxb-next' })).toBe(true);
    expect(await installs.saveRenewed({ ...old, botToken: 'xoxb-late' })).toBe(false);
    expect((await findInstall(installs, 'T1')).botToken).toBe('xoxb-next');
    expect(await installs.claimRenewal(old)).toBe(false);
  });

  test('a removal event does not remove a later install, and may arrive twice', async () => {
    const { installs } = harness();
    await installs.save(install('T1', { at: 500 }));
    expect(await installs.remove(workspaceId('T1'), 499)).toBe(false);
    expect(await installs.remove(workspaceId('T1'), 500)).toBe(true);
    expect(await installs.remove(workspaceId('T1'), 500)).toBe(true);
    expect(await installs.find(workspaceId('T1'))).toBeUndefined();
  });
});
