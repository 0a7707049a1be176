import { expect, test } from '@jest/globals';
import { type Interaction, userId, workspaceId } from '../../shared/domain/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { commandHarness, fakeInteraction, typedCommand } from './command-harness.ts';

const ADA = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: false, locale: 'en' };
const EVE = { ...ADA, user: userId('U2') };
const schemaOf = (field: string): string =>
  JSON.stringify({ type: 'object', properties: { [field]: { type: 'string' } }, required: [field] });

test('a filled form keeps its schema, whoever saves another one under the same name', async () => {
  const chat = {
    ...streamsOnly,
    async *stream() {
      yield endEvent('{"title":"Slow"}');
    },
  };
  const { call, stage } = commandHarness({ chat });
  let count = 0;
  const send = async (payload: Interaction['payload'], by = ADA): Promise<string> => {
    await call(fakeInteraction(payload, { by, id: `call-${(count += 1)}` }));
    return JSON.stringify(stage.answers.at(-1)?.card);
  };
  await send(typedCommand(`schema save ticket ${schemaOf('title')}`));
  await send(typedCommand('ask schema:ticket It is slow'));
  const id = `call-${count}`;
  await send(typedCommand('schema remove ticket'));
  expect(await send(typedCommand(`schema save ticket ${schemaOf('password')}`), EVE)).toContain('password');

  await send({ kind: 'action', action: { name: 'schema.edit-form', args: [id, '0'] }, chosen: [] });
  expect(stage.forms).toHaveLength(1);
  expect(JSON.stringify(stage.forms)).not.toContain('password');
  const edit = { name: 'schema.edit', args: [id, '0', '1'] };
  expect(await send({ kind: 'form', action: edit, values: { f0: 'Very slow' } })).toContain('Very slow');
  await send({ kind: 'action', action: { name: 'schema.send', args: [id] }, chosen: [] });
  const sent = JSON.stringify([...stage.cards.values()]);
  expect(sent).toContain('Very slow');
  expect(sent).not.toContain('password');
});
