import { expect, test } from '@jest/globals';
import { discordFrontHarness, interaction } from '../../discord.ts';

test('autocomplete suggests models while a person types', async () => {
  const options = [
    { name: 'question', type: 3, value: 'why?' },
    { name: 'model', type: 3, value: 'MAK', focused: true },
  ];
  const { body } = await discordFrontHarness().send(
    interaction({ type: 4, data: { type: 1, name: 'ask', options } }),
  );
  expect(body).toEqual({ type: 8, data: { choices: [{ name: 'maker/other', value: 'maker/other' }] } });
  const live = [['maker/new', `128K · $0.42 · ${'text '.repeat(30)}`]];
  const second = await discordFrontHarness({ live }).send(
    interaction({ type: 4, data: { type: 1, name: 'model', options: [{ ...options[1], value: 'new' }] } }),
  );
  expect(second.body).toMatchObject({
    data: {
      choices: [
        { name: expect.stringMatching(/^maker\/new · 128K · \$0\.42.{70,80}…$/u), value: 'maker/new' },
      ],
    },
  });
});

test.each([
  ['persona', { name: 'name', value: 'ir' }, { guild_id: '21' }, ['pirate', 'squire']],
  ['schema', { name: 'name', value: '' }, { guild_id: '21' }, ['bug']],
  ['ask', { name: 'schema', value: 'b' }, { guild_id: '21' }, ['bug']],
  ['persona', { name: 'name', value: '' }, { guild_id: '22' }, []],
  ['persona', { name: 'name', value: '' }, { guild_id: undefined, context: 1 }, ['mine']],
  ['persona', { name: 'text', value: 'pi' }, { guild_id: '21' }, []],
])('autocomplete suggests what the guild has saved: /%s %o %o', async (name, option, where, expected) => {
  const saved = {
    'SETTINGS#discord#21 NAMES#persona': ['squire', 'pirate', 'nurse'],
    'SETTINGS#discord#21 NAMES#schema': ['bug'],
    'SETTINGS#discord#@me#41 NAMES#persona': ['mine'],
  };
  const options = [{ ...option, type: 3, focused: true }];
  const { body } = await discordFrontHarness({ saved }).send(
    interaction({ ...where, type: 4, data: { type: 1, name, options } }),
  );
  const choices = expected.map((value) => ({ name: value, value }));
  expect(body).toEqual({ type: 8, data: { choices } });
});
