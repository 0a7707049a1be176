import { expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { type KeyPlace, WorkspaceKeys } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { plainEncryptor } from '../../fakes/plain-encryptor.ts';

const home = (id: string): KeyPlace => ({ platform: 'slack', workspace: workspaceId(id) });
const T1 = home('T1');

function harness() {
  const dynamo = createMemoryDynamo();
  const keys = new WorkspaceKeys({ dynamo, table: 'conversations', encryptor: plainEncryptor, now: () => 5 });
  const opened = async (place: KeyPlace) => {
    const key = await keys.find(place);
    return key && keys.decrypt(place, key);
  };
  return { dynamo, keys, opened };
}

const key = (value: string) => ({ name: `name-${value}`, value, owner: userId('U1') });

test('each workspace has its own key, which is not readable in the table and can be removed', async () => {
  const { dynamo, keys, opened } = harness();
  await keys.save(T1, key('sk-one-secret'));
  await keys.save(home('T2'), key('sk-two-secret'));
  expect(await keys.find(T1)).toMatchObject({ name: 'name-sk-one-secret', owner: 'U1', at: 5 });
  expect([await opened(T1), await opened(home('T2'))]).toEqual(['sk-one-secret', 'sk-two-secret']);
  const lying = dynamo.items('conversations').map(({ sealed }) => String(sealed?.B));
  expect(lying.join()).not.toContain('-secret');
  await keys.remove(T1);
  expect([await opened(T1), await opened(home('T2'))]).toEqual([undefined, 'sk-two-secret']);
});

test('a key that was encrypted for one workspace cannot be decrypted for another', async () => {
  const { keys } = harness();
  await keys.save(T1, key('sk-one-secret'));
  const storedKey = await keys.find(T1);
  await expect(keys.decrypt(home('T2'), storedKey ?? { sealed: new Uint8Array() })).rejects.toThrow(
    'something else',
  );
});

test('a rejected key is disabled once, but not after it was replaced', async () => {
  const { keys } = harness();
  await keys.save(T1, key('old'));
  await keys.save(T1, key('new'));
  expect(await keys.markRejected(T1, 'name-old')).toBe(false);
  expect(await keys.find(T1)).toMatchObject({ name: 'name-new', rejectedAt: undefined });
  expect([await keys.markRejected(T1, 'name-new'), await keys.markRejected(T1, 'name-new')]).toEqual([
    true,
    false,
  ]);
  expect(await keys.find(T1)).toMatchObject({ rejectedAt: 5 });
  await keys.save(T1, key('next'));
  expect(await keys.find(T1)).toMatchObject({ rejectedAt: undefined });
  expect(await keys.markRejected(home('T9'), 'name-x')).toBe(false);
});
