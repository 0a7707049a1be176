import { expect, test } from '@jest/globals';
import { ask, discordFrontHarness, interaction } from '../../discord.ts';

const GUILD = 'SETTINGS#discord#21 LEVEL#workspace';
const CHANNEL = 'SETTINGS#discord#21 LEVEL#channel#31';
const ALONE = { type: 5, data: { flags: 64 } };
const FOR_ALL = { type: 5 };
const layer = (values: object, locks = {}): string => JSON.stringify({ values, locks });

test.each([
  ['nothing is set', {}, {}, FOR_ALL],
  ['the asker is denied', { [GUILD]: layer({ denied: ['41'] }) }, {}, ALONE],
  ['a role of the asker is denied', { [CHANNEL]: layer({ denied: ['&61'] }) }, {}, ALONE],
  ['only others are allowed', { [GUILD]: layer({ allowed: ['42'] }) }, {}, ALONE],
  [
    'the channel allows the asker',
    { [GUILD]: layer({ allowed: ['42'] }), [CHANNEL]: layer({ allowed: ['41'] }) },
    {},
    FOR_ALL,
  ],
  [
    'the guild locks the list of allowed people',
    {
      [GUILD]: layer({ allowed: ['42'] }, { allowed: { reason: 'x' } }),
      [CHANNEL]: layer({ allowed: ['41'] }),
    },
    {},
    ALONE,
  ],
  ['it is another channel', { [GUILD]: layer({ channels: ['39'] }) }, {}, ALONE],
  ['the bot is silent there', { [CHANNEL]: layer({ mentions: 'off' }) }, {}, ALONE],
  ['the asker manages the guild', { [GUILD]: layer({ denied: ['41'] }) }, { permissions: '32' }, FOR_ALL],
  ['the settings cannot be read', { [GUILD]: 'no JSON' }, {}, FOR_ALL],
])(
  'a question is deferred publicly or ephemerally, as its answer will be: %s',
  async (_, set, who, expected) => {
    const harness = discordFrontHarness({ set });
    const member = { user: { id: '41' }, roles: ['61'], permissions: '0', ...who };
    const { body } = await harness.send({ ...ask({ question: 'why?' }), member });
    expect(body).toEqual(expected);
    // The front does not decide about the refusal.
    expect(harness.tasks).toHaveLength(1);
  },
);

const PERSON = 'SETTINGS#discord#21 LEVEL#person#41';
const german = { [GUILD]: layer({ language: 'de' }) };
const command = (name: string, options: object[] = [], more: object = {}) =>
  interaction({ type: 2, locale: 'en-US', data: { id: '61', type: 1, name, options }, ...more });
const persona = command('persona', [{ name: 'do', type: 3, value: 'save' }]);
const pressed = (custom_id: string) =>
  interaction({ type: 3, locale: 'en-US', data: { component_type: 2, custom_id }, message: { id: '91' } });

test.each([
  ['a modal of a command', german, persona, 'Persona speichern'],
  [
    'the person’s before the guild’s',
    { ...german, [PERSON]: layer({ language: 'fr' }) },
    persona,
    'Enregistrer',
  ],
  ['a modal of a button', german, pressed('persona.save-form'), 'Persona speichern'],
  ['a button whose data is gone', german, pressed('nothing'), 'gilt nicht mehr'],
  [
    'a language that the bot does not speak',
    { [GUILD]: layer({ language: 'it' }) },
    persona,
    'Save a persona',
  ],
  ['auto', { [GUILD]: layer({ language: 'auto' }) }, persona, 'Save a persona'],
  ['settings that cannot be read', { [GUILD]: 'no JSON' }, persona, 'Save a persona'],
])('the front responds in the language of the settings: %s', async (_, set, input, expected) => {
  const { body } = await discordFrontHarness({ set }).send(input);
  expect(JSON.stringify(body)).toContain(expected);
});

test.each([
  ['no lock', {}, ['usual', 'maker/other']],
  ['a locked model', { [GUILD]: layer({ model: 'usual' }, { model: { reason: '' } }) }, ['usual']],
  [
    'a locked model and another personal one',
    {
      [GUILD]: layer({ model: 'usual' }, { model: { reason: '' } }),
      [PERSON]: layer({ model: 'maker/other' }),
    },
    ['usual'],
  ],
])('autocomplete suggests only models that may be chosen: %s', async (_, set, expected) => {
  const options = [{ name: 'model', type: 3, value: '', focused: true }];
  const { body } = await discordFrontHarness({ set }).send(
    interaction({ type: 4, data: { type: 1, name: 'ask', options } }),
  );
  expect(body).toEqual({ type: 8, data: { choices: expected.map((value) => ({ name: value, value })) } });
});
