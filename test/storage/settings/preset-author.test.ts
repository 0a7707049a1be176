import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { Erasure, PresetChangedError, Presets } from '../../../shared/storage/index.ts';
import { startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

test('a preset that others use stays without its author; one that nobody else uses is erased', async () => {
  const { client, dynamo } = tables;
  const erasure = new Erasure({
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
    now: () => 1_000_000,
    isIndexComplete: async () => false,
  });
  const scope = { platform: 'slack', workspace: workspaceId('T77'), user: userId('U1') } as const;
  const pk = { S: 'SETTINGS#slack#T77' };
  const put = (at: string, more: Record<string, AttributeValue>) =>
    client.putItem({ TableName: 'conversations', Item: { pk, sk: { S: at }, ...more } });
  const saved = (name: string) =>
    put(`SAVED#persona#${name}`, {
      name: { S: name },
      text: { S: 'Plainly.' },
      by: { S: 'U1' },
      at: { N: '1' },
    });
  const uses = (level: string, name: string) =>
    put(level, { layer: { S: JSON.stringify({ values: { persona: name } }) }, rev: { N: '1' } });
  for (const name of ['house', 'theirs', 'own', 'unused']) await saved(name);
  await uses('LEVEL#workspace', 'house');
  await uses('LEVEL#person#U2', 'theirs');
  await uses('LEVEL#person#U1', 'own');
  await erasure.page(scope, undefined, { eraseJobs: async () => undefined });
  const texts = new Presets({ dynamo, table: 'conversations', now: () => 1_000 });
  const of = { platform: 'slack', workspace: 'T77' } as const;
  expect(await texts.list(of, 'persona')).toMatchObject([
    { name: 'house', text: 'Plainly.', by: undefined, revision: 1 },
    { name: 'theirs', text: 'Plainly.', by: undefined, revision: 1 },
  ]);
  // Again, by the index or as an interrupted task: nothing more is erased.
  await erasure.page(scope, undefined, { eraseJobs: async () => undefined });
  const house = await texts.read(of, 'persona', 'house');
  expect(house?.text).toBe('Plainly.');
  const after = await texts.save(of, 'persona', { name: 'house', text: 'Kindly.', by: 'U9' }, house);
  await expect(texts.remove(of, 'persona', 'house', house ?? after)).rejects.toThrow(PresetChangedError);
  await texts.remove(of, 'persona', 'house', after);
  expect(await texts.read(of, 'persona', 'house')).toBeUndefined();
});
