import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { userId } from '../../shared/domain/index.ts';
import { fakeInteraction, typedCommand } from './command-harness.ts';
import { ADMIN, MEMBER, settingsHarness } from './settings-harness.ts';

const SCHEMA = '{"type":"object","properties":{"title":{"type":"string"}}}';
const OTHER = { ...MEMBER, user: userId('U2') };

const word = fc.constantFrom(
  'me',
  'person',
  'thread',
  'channel',
  'workspace',
  'deployment',
  'U2',
  'U9',
  'boss',
  'bug',
  'model',
  'persona',
  'reasoning',
  'video',
  'denied',
  'language',
  'retentionDays',
  '0',
  '1',
  '2',
  '',
);
const value = fc.constantFrom('full', 'off', 'de', 'big', '7', 'reset', '<@U9>', 'boss', SCHEMA, 'Obey.');
const action = fc.record({
  name: fc.constantFrom(
    'settings.set',
    'settings.write',
    'settings.show',
    'settings.log',
    'settings.set-form',
    'model.use',
    'persona.use',
    'persona.stop',
    'persona.save',
    'schema.save',
    'schema.edit',
    'schema.send',
    'quota.set',
    'key.set',
    'key.remove',
    'voice.set',
    'forget.thread',
    'home.show',
    'nothing.at-all',
  ),
  args: fc.array(word, { maxLength: 3 }),
});
const level = fc.constantFrom('', ' for:me', ' for:channel', ' for:workspace', ' for:thread');
const call = fc.oneof(
  fc
    .tuple(word, value, level, fc.constantFrom('', ' lock:mine', ' lock:off'))
    .map(([name, to, where, lock]) => typedCommand(`settings ${name} ${to}${where}${lock}`)),
  fc
    .tuple(fc.constantFrom('persona', 'schema'), fc.constantFrom('save', 'remove', 'use'), word, value, level)
    .map(([kind, what, name, text, where]) => typedCommand(`${kind} ${what} ${name} ${text}${where}`)),
  fc
    .tuple(fc.constantFrom('model big', 'quota set 5', 'voice off', 'key'), level)
    .map(([what, where]) => typedCommand(what + where)),
  fc
    .record({ action, chosen: fc.array(value, { maxLength: 1 }) })
    .map((partial) => ({ kind: 'action' as const, ...partial })),
  fc
    .record({ action, values: fc.record({ name: word, text: value, value, key: value }) })
    .map((partial) => ({ kind: 'form' as const, ...partial })),
);

test('no input of a person, forged or not, changes what they may not change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
      const { call: make, type, dynamo } = settingsHarness();
      await type('settings reasoning brief for:workspace lock:"costs too much"', ADMIN);
      await type('settings video admins for:channel', ADMIN);
      await type('settings language fr', OTHER);
      await type('persona save boss You are the boss.', OTHER);
      await type(`schema save bug ${SCHEMA}`, OTHER);
      /** All that others set and saved. */
      const storedItems = () =>
        dynamo
          .items('conversations')
          .filter(({ pk }) => !pk?.S?.startsWith('slack#'))
          .filter(({ sk, by }) => sk?.S !== 'LEVEL#person#U1' && by?.S !== 'U1')
          .filter(({ sk }) => !sk?.S?.startsWith('LEVEL#thread#') && !sk?.S?.startsWith('NAMES#'))
          .map(({ pk, sk, layer, log, text, ...more }) =>
            JSON.stringify([pk, sk, layer, log, text, more['rev']]),
          )
          .toSorted();
      const before = storedItems();
      for (const [nth, one] of calls.entries())
        await make(fakeInteraction(one, { id: `made-${nth}`, by: MEMBER }));
      expect(storedItems()).toEqual(before);
    }),
    { numRuns: 60 },
  );
});
