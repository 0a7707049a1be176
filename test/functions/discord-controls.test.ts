import { expect, test } from '@jest/globals';
import { discordFrontHarness, idNow, interaction } from './discord.ts';

test('a control of a card becomes an interaction task, opens its modal, or is deferred', async () => {
  const harness = discordFrontHarness();
  expect((await harness.send(on('settings.set|model'))).body).toEqual({ type: 6 });
  expect(harness.tasks).toMatchObject([
    {
      kind: 'invoked',
      interaction: {
        payload: {
          kind: 'action',
          action: { name: 'settings.set', args: ['model'] },
          chosen: ['de'],
          card: '91',
        },
      },
    },
  ]);
  expect(JSON.stringify(harness.tasks)).not.toContain('deferred');
  // A slow action is deferred with a thinking state, which its result replaces.
  const long = discordFrontHarness();
  expect((await long.send(on('voice.translate|5'))).body).toEqual({ type: 5, data: { flags: 64 } });
  expect(long.tasks).toMatchObject([{ interaction: { deferred: true, payload: { kind: 'action' } } }]);
  const form = discordFrontHarness();
  expect((await form.send(on('persona.save-form|'))).body).toMatchObject({
    type: 9,
    data: { custom_id: 'persona.save', components: [{}, {}] },
  });
  expect(form.tasks).toEqual([]);
  const drawn = { title: 'ticket', submit: 'Save', action: { name: 'schema.edit', args: ['1', '1', '2'] } };
  const field = { id: 'f0', label: 'Title', kind: 'line', most: 100 } as const;
  const forms = {
    ['41 1']: [
      { ...drawn, fields: [] },
      { ...drawn, fields: [field] },
    ],
  };
  const stored = discordFrontHarness({ forms });
  expect((await stored.send(on('schema.edit-form|1|1'))).body).toMatchObject({
    type: 9,
    data: { custom_id: 'schema.edit|1|1|2', title: 'ticket', components: [{}] },
  });
  expect(stored.tasks).toEqual([]);
  // The worker reports a missing or foreign object.
  expect((await stored.send(on('schema.edit-form|2|0'))).status).toBe(202);
  expect(stored.tasks).toHaveLength(1);
  // A fact that is remembered about the person: the modal shows it.
  const remembering = discordFrontHarness({ facts: { ['41 a1']: 'I am in Lisbon' } });
  expect((await remembering.send(on('memory.edit-form|a1'))).body).toMatchObject({
    type: 9,
    data: {
      custom_id: 'memory.save|a1',
      components: [{ component: { custom_id: 'text', value: 'I am in Lisbon' } }],
    },
  });
  expect(remembering.tasks).toEqual([]);
  expect((await remembering.send(on('memory.edit-form|k2'))).status).toBe(202);
  expect(remembering.tasks).toHaveLength(1);
  // For example of an older version.
  expect((await discordFrontHarness().send(on('settings.gone-form'))).body).toMatchObject({ type: 4 });
  expect((await discordFrontHarness().send(on('???'))).body).toMatchObject({ type: 4 });
});

function on(id: string): object {
  return interaction({ type: 3, message: { id: '91' }, data: { custom_id: id, values: ['de'] } });
}

test('interactions tell the worker where the bot is not a member', async () => {
  const harness = discordFrontHarness();
  const help = { type: 2, data: { type: 1, name: 'help' } };
  await harness.send(interaction(help));
  await harness.send(
    interaction({ ...help, id: `${idNow()}1`, authorizing_integration_owners: { '1': '41' } }),
  );
  const sent = harness.tasks.map((task) => task.kind === 'invoked' && task.interaction.botAbsent);
  expect(sent).toEqual([undefined, true]);
});
