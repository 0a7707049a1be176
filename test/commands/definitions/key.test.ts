import { expect, test } from '@jest/globals';
import type { Card, Interaction } from '../../../shared/domain/index.ts';
import { buildCommandForm } from '../../../shared/commands/open-command-form.ts';
import type { WorkspaceKeyStore, DisplayedKey } from '../../../shared/settings/workspace-api-key.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';

const KEY = 'sk-very-secret';

function keys() {
  const storedKey: { value?: string; key?: DisplayedKey } = {};
  const ownKeys: WorkspaceKeyStore = {
    find: async () => storedKey.key,
    save: async (_, value, owner) => {
      Object.assign(storedKey, { value, key: { name: 'f1n9e', owner, at: 0 } });
    },
    remove: async () => {
      delete storedKey.key;
    },
  };
  return { storedKey, ownKeys };
}

function asAdmin(call: Interaction['payload'], id: string): Interaction {
  const plain = fakeInteraction(call, { id });
  return { ...plain, by: { ...plain.by, admin: true } };
}

const press = (name: string): Interaction['payload'] => ({
  kind: 'action',
  action: { name, args: [] },
  chosen: [],
});
const sent = (key: string): Interaction['payload'] => ({
  kind: 'form',
  action: { name: 'key.set', args: [] },
  values: { key },
});
const text = (card: Card | undefined): string => JSON.stringify(card);

test('is set by a modal, shown only as a fingerprint, and removed', async () => {
  const { ownKeys, storedKey } = keys();
  const { call, stage } = commandHarness({ ownKeys });
  await call(asAdmin(typedCommand('key'), '1'));
  expect(text(stage.answers.at(-1)?.card)).toContain('The operator’s key is used');
  const form = buildCommandForm(press('key.set-form'), 'slack', 'de');
  expect(form).toMatchObject({
    title: 'Eigener Schlüssel',
    action: { name: 'key.set' },
    fields: [{ id: 'key' }],
  });
  await call(asAdmin(sent(` ${KEY} `), '3'));
  expect(storedKey.value).toBe(KEY);
  expect(stage.answers.at(-1)?.card.by).toBe('U1');
  expect(text(stage.answers.at(-1)?.card)).toContain('`f1n9e`');
  expect(JSON.stringify(stage.answers.map(({ card }) => card))).not.toContain(KEY);
  await call(asAdmin(press('key.remove'), '4'));
  expect(storedKey.key).toBeUndefined();
});

test('an invalid key is refused, and so is everyone but admins', async () => {
  const { ownKeys, storedKey } = keys();
  const { call, stage } = commandHarness({ ownKeys });
  await call(asAdmin(sent('two words'), '1'));
  expect(text(stage.answers.at(-1)?.card)).toContain('does not look like a key');
  for (const [id, one] of [typedCommand('key'), sent(KEY), press('key.remove')].entries()) {
    await call(fakeInteraction(one, { id: `plain-${id}` }));
    expect(text(stage.answers.at(-1)?.card)).toContain('Only admins can');
  }
  expect(storedKey).toEqual({});
});

test('a rejected key is shown as not in use', async () => {
  const { ownKeys, storedKey } = keys();
  storedKey.key = { name: 'f1n9e', owner: fakeInteraction(typedCommand('')).by.user, at: 0, rejectedAt: 1 };
  const { call, stage } = commandHarness({ ownKeys });
  await call(asAdmin(typedCommand('key'), '1'));
  expect(text(stage.answers.at(-1)?.card)).toContain('The model server rejected it');
});
