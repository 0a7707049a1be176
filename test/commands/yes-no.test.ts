import { describe, expect, test } from '@jest/globals';
import { parseCommand } from '../../shared/commands/arguments/parse-arguments.ts';
import { parseSettingValue } from '../../shared/commands/arguments/setting-value.ts';
import { getValueLabel } from '../../shared/settings/index.ts';
import { isSetting, parseYesNo, SETTINGS } from '../../shared/settings/rules/index.ts';
import { LOCALES } from '../../shared/i18n/index.ts';
import { fakeInteraction, typedCommand } from './command-harness.ts';
import { ADMIN, MEMBER, settingsHarness } from './settings-harness.ts';
import { COMMANDS } from '../../shared/commands/command-list.ts';

/** Yes, on, true and their opposites, as people write them in each language. */
const WORDS = {
  en: ['yes on true', 'no off false'],
  de: ['ja an ein wahr', 'nein aus falsch'],
  fr: ['oui activé vrai', 'non désactivé faux'],
  es: ['sí si activado verdadero', 'no desactivado falso'],
  pt: ['sim ligado ativado verdadeiro', 'não nao desligado desativado falso'],
  ja: ['はい オン 有効', 'いいえ オフ 無効'],
  ko: ['예 네 켜기 켜짐 참', '아니요 아니오 끄기 꺼짐 거짓'],
  zh: ['是 开 打开 开启', '否 关 关闭'],
} as const;

const payload = typedCommand('');
const REQUEST = { interaction: fakeInteraction(payload), payload, admin: false, locale: 'en' } as const;
const { context: NO_DIRECTORY } = settingsHarness();

const parse = (name: string, word: string) => parseSettingValue(REQUEST, NO_DIRECTORY, name, word);

describe.each(LOCALES)('yes and no in %s', (locale) => {
  const [yes, no] = WORDS[locale].map((words) => words.split(' '));

  test('are parsed in every option of that kind, in any case and width', () => {
    for (const [words, expected] of [
      [yes, true],
      [no, false],
    ] as const) {
      for (const word of words ?? []) {
        expect([word, parseYesNo(word)]).toEqual([word, expected]);
        expect([word, parseYesNo(` ${word.toUpperCase()} `)]).toEqual([word, expected]);
        const command = parseCommand(typedCommand(`usage csv:${word}`), 'slack', COMMANDS);
        expect([word, command]).toMatchObject([word, { options: { csv: expected } }]);
      }
    }
  });

  test('set a boolean setting, and “off” where a setting has it', async () => {
    for (const word of yes ?? [])
      expect([word, await parse('footer', word)]).toEqual([word, { value: true }]);
    for (const word of no ?? []) {
      expect([word, await parse('footer', word)]).toEqual([word, { value: false }]);
      expect([word, await parse('reasoning', word)]).toEqual([word, { value: 'off' }]);
    }
  });

  test('lock and unlock', async () => {
    const { type, context } = settingsHarness();
    const place = { platform: 'slack' as const, workspace: 'T1', channel: 'C1', user: 'U1' };
    const lock = async () => (await context.settingsStore.layers(place)).workspace?.locks?.model;
    for (const word of yes ?? []) {
      await type(`settings model lock:${word} for:workspace`, ADMIN);
      expect([word, await lock()]).toEqual([word, { reason: '' }]);
      await type('settings model lock:off for:workspace', ADMIN);
    }
    for (const word of no ?? []) {
      await type('settings model lock:"it is paid for" for:workspace', ADMIN);
      expect(await lock()).toEqual({ reason: 'it is paid for' });
      await type(`settings model lock:${word} for:workspace`, ADMIN);
      expect([word, await lock()]).toEqual([word, undefined]);
    }
  });
});

describe.each(LOCALES)('the labels of %s', (locale) => {
  test('are accepted for every value of every setting', async () => {
    for (const [name, { format }] of Object.entries(SETTINGS)) {
      if (!isSetting(name) || typeof format === 'string') continue;
      for (const value of format) {
        const label = getValueLabel(locale, name, value);
        const parsed = await parseSettingValue({ ...REQUEST, locale }, NO_DIRECTORY, name, ` ${label} `);
        expect([name, label, parsed]).toEqual([name, label, { value }]);
      }
    }
  });
});

test.each([
  ['es', 'effort', 'ALTO', 'high'],
  ['es', 'effort', 'minimo', 'minimal'],
  ['pt', 'effort', 'alto', 'high'],
  // Another language than one's own.
  ['en', 'effort', '높음', 'high'],
  ['es', 'voiceLanguage', 'ninguna', 'none'],
  ['de', 'memory', 'ja', 'on'],
  ['pt', 'effort', 'altíssimo', 'altíssimo'],
] as const)('in %s, %s %s is %s', async (locale, name, text, value) => {
  const request = { ...REQUEST, locale };
  expect(await parseSettingValue(request, NO_DIRECTORY, name, text)).toEqual({ value });
});

test('a refused value is answered with the values and what the menus call them', async () => {
  const { type } = settingsHarness();
  expect(await type('settings effort altísimo', { ...MEMBER, locale: 'es' })).toContain('`high` (Alto)');
  expect(await type('settings effort heredado', { ...MEMBER, locale: 'es' })).not.toContain('"tone":"bad"');
});

test('other words are no boolean', () => {
  for (const word of ['', 'perhaps', 'nono', '2', 'constructor', '__proto__'])
    expect([word, parseYesNo(word)]).toEqual([word, undefined]);
});

describe('a lock', () => {
  test('without a reason is shown without one', async () => {
    const { type } = settingsHarness();
    await type('settings model usual for:workspace lock:yes', ADMIN);
    const refusal = await type('model big');
    expect(refusal).toContain('This is locked by the workspace.');
    expect(await type('settings')).toContain('🔒 locked: the workspace, <@U9>"');
  });

  test('is refused for personal settings, with the levels at which it is possible', async () => {
    const { type } = settingsHarness();
    const card = await type('settings model lock:"too dear"', ADMIN);
    expect(card).toContain('for:channel');
    expect(card).toContain('for:workspace');
    expect(await type('settings model lock:"too dear" for:workspace', MEMBER)).toContain(
      'an owner or an admin',
    );
  });

  test('that does not exist cannot be removed, and the bot says so', async () => {
    const { type } = settingsHarness();
    expect(await type('settings model lock:no for:channel', ADMIN)).toContain('is not locked');
  });

  test('and a value in one command are both set, or neither', async () => {
    const { type, context } = settingsHarness();
    const place = { platform: 'slack' as const, workspace: 'T1', channel: 'C1', user: 'U1' };
    const loadSettings = async () => (await context.settingsStore.layers(place)).workspace;
    expect(await type('settings temperature 9 lock:yes for:workspace', ADMIN)).toContain('not a value');
    expect(await loadSettings()).toEqual({ values: {} });
    expect(await type('settings temperature 1 lock:yes')).toContain('an owner or an admin');
    expect((await context.settingsStore.layers(place)).person?.values ?? {}).toEqual({});
    await type('settings temperature 1 lock:yes for:workspace', ADMIN);
    expect(await loadSettings()).toMatchObject({
      values: { temperature: 1 },
      locks: { temperature: { reason: '' } },
    });
  });
});
