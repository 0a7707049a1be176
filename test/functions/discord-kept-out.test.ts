import { expect, test } from '@jest/globals';
import { ask, discordRig } from './discord.ts';

const GUILD = 'SETTINGS#discord#21 LEVEL#workspace';
const CHANNEL = 'SETTINGS#discord#21 LEVEL#channel#31';
const ALONE = { type: 5, data: { flags: 64 } };
const FOR_ALL = { type: 5 };
const layer = (values: object, locks = {}): string => JSON.stringify({ values, locks });

test.each([
  ['nothing is set', {}, {}, FOR_ALL],
  ['they are denied', { [GUILD]: layer({ denied: ['41'] }) }, {}, ALONE],
  ['a role of theirs is', { [CHANNEL]: layer({ denied: ['&61'] }) }, {}, ALONE],
  ['others are allowed', { [GUILD]: layer({ allowed: ['42'] }) }, {}, ALONE],
  [
    'the channel allows them',
    { [GUILD]: layer({ allowed: ['42'] }), [CHANNEL]: layer({ allowed: ['41'] }) },
    {},
    FOR_ALL,
  ],
  [
    'the guild holds whom it allows',
    {
      [GUILD]: layer({ allowed: ['42'] }, { allowed: { reason: 'x' } }),
      [CHANNEL]: layer({ allowed: ['41'] }),
    },
    {},
    ALONE,
  ],
  ['it is another channel', { [GUILD]: layer({ channels: ['39'] }) }, {}, ALONE],
  ['the bot is silent there', { [CHANNEL]: layer({ mentions: 'off' }) }, {}, ALONE],
  ['they manage the guild', { [GUILD]: layer({ denied: ['41'] }) }, { permissions: '32' }, FOR_ALL],
  ['what is set cannot be read', { [GUILD]: 'no JSON' }, {}, FOR_ALL],
])('a question is deferred as its answer will be seen: %s', async (_, set, who, expected) => {
  const rig = discordRig({ set });
  const member = { user: { id: '41' }, roles: ['61'], permissions: '0', ...who };
  const { body } = await rig.send({ ...ask({ question: 'why?' }), member });
  expect(body).toEqual(expected);
  // Whether it is refused is not for the front to decide.
  expect(rig.tasks).toHaveLength(1);
});
