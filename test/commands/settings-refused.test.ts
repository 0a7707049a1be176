import { expect, test } from '@jest/globals';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';
import { ADMIN, settingsHarness } from './settings-harness.ts';

test.each([
  ['a setting that there is not', ['workspace', 'constructor', '0']],
  ['a revision that is none', ['workspace', 'video', 'newest']],
])('not even those who administer press %s: the card is from an earlier time', async (_, args) => {
  const { press } = settingsHarness();
  expect(await press('settings.set', args, ['off'], ADMIN)).toContain('out of date');
});

/** What is told of a lock on one’s own settings. */
const own = async (platform: 'slack' | 'discord') => {
  const at = commandHarness();
  const options = { name: 'model', value: 'usual', for: 'me', lock: 'paid' };
  const call =
    platform === 'slack'
      ? typedCommand('settings model usual for:me lock:paid')
      : { ...typedCommand(''), name: 'settings', options };
  const by = { ...ADMIN, locale: 'de' };
  await at.call(fakeInteraction(call, { platform, by }));
  return JSON.stringify(at.stage.answers.at(-1)?.card);
};

test('a lock of personal settings is refused, with the levels at which locks are possible', async () => {
  expect(await own('slack')).toMatch(/`for:channel`.*`for:workspace`/u);
  expect(await own('discord')).toMatch(/`für:dieser Kanal`.*`für:der Arbeitsbereich`/u);
});
