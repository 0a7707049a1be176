import { describe, expect, test } from '@jest/globals';
import type { AuditEntry } from '../../shared/settings/rules/index.ts';
import { LOCALES } from '../../shared/i18n/index.ts';
import { fakeInteraction, commandHarness } from './command-harness.ts';
import { ADMIN, settingsHarness } from './settings-harness.ts';

const shownLog = { name: 'settings.log', args: ['workspace'] };

/** The list of changes of the workspace, as text. */
async function log(locale: string, changes: readonly string[]): Promise<string> {
  const { type, call, stage } = settingsHarness();
  const by = { ...ADMIN, locale };
  for (const text of changes) await type(`${text} for:workspace`, by);
  await call(fakeInteraction({ kind: 'action', action: shownLog, chosen: [] }, { id: 'log', by }));
  return textOf(stage.answers.at(-1)?.card);
}

const textOf = (card: { readonly parts: readonly object[] } | undefined): string =>
  (card?.parts ?? [])
    .flatMap((part) => ('markdown' in part ? [String(part.markdown)] : []))
    .join('\n')
    // What is written in an id or a name is data, not notation.
    .replaceAll(/<[@#!&][^>]*>/gu, '');

const CHANGES = [
  'settings reasoning off',
  'settings footer yes',
  'settings model usual',
  'settings temperature 0.5',
  'settings standIns usual,big',
  'settings denied <@U1> <!subteam^S1|@sales>',
  'settings denied reset',
  'settings model lock:"it is paid for"',
  'settings video lock:yes',
  'settings video lock:no',
  'settings voiceLanguage fr',
];

describe('the audit log', () => {
  test('consists of sentences, newest first', async () => {
    const lines = (await log('en', CHANGES))
      .split('\n')
      .map((line) => line.replace(/^- 1 Jan 2026,? 00:00:00 UTC: /u, ''));
    expect(lines).toEqual([
      ' set “Translation of recordings” to French.',
      ' unlocked “Who may make videos”.',
      ' locked “Who may make videos”.',
      ' locked “Model”: it is paid for',
      ' reset “Who may not use me”.',
      ' set “Who may not use me” to , .',
      ' set “Stand-in models” to usual, big.',
      ' set “Temperature” to 0.5.',
      ' set “Model” to usual.',
      ' set “Model and cost under answers” to Yes.',
      ' set “Reasoning shown” to Not at all.',
    ]);
  });

  test.each(LOCALES)('is sentences in %s: no JSON, no name of a field', async (locale) => {
    const text = await log(locale, CHANGES);
    expect(text.split('\n')).toHaveLength(CHANGES.length);
    expect(text).not.toMatch(/[{}[\]"`\\]|\block\b|true|false|null/u);
  });

  test('shows entries that an earlier version cut off', async () => {
    const before: readonly AuditEntry[] = [
      { at: 4, by: 'U9', setting: 'model', to: '{"lock":"it is paid for"}' },
      { at: 3, by: 'U9', setting: 'denied', to: '["U1","S1","U2' },
      { at: 2, by: '', setting: 'model', to: `"${'m'.repeat(90)}` },
      { at: 1, by: 'U9', setting: 'gone', to: '"was"' },
    ];
    const { settingsStore: choices } = commandHarness().context;
    const old = commandHarness({
      settingsStore: {
        layers: (place) => choices.layers(place),
        change: (...change) => choices.change(...change),
        levelsUsing: (...name) => choices.levelsUsing(...name),
        claimNotice: (...notice) => choices.claimNotice(...notice),
        read: async () => ({ layer: { values: {} }, revision: 4, log: before }),
      },
    });
    await old.call(fakeInteraction({ kind: 'action', action: shownLog, chosen: [] }, { by: ADMIN }));
    const card = old.stage.answers.at(-1)?.card;
    const text = textOf(card);
    expect(text).not.toMatch(/[{}[\]"\\]/u);
    expect(text).toContain('locked “Model”: it is paid for');
    expect(JSON.stringify(card)).toContain('to <@U1>, <@&S1> ….');
    expect(text).toContain('a person who was forgotten set “Model” to mmm');
    expect(text).toContain('set “gone” to was.');
  });

  test('shortens long lists after a whole entry', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `<@U${100 + i}>`).join(' ');
    const { type, call, stage } = settingsHarness();
    await type(`settings denied ${ids} for:workspace`, ADMIN);
    await call(fakeInteraction({ kind: 'action', action: shownLog, chosen: [] }, { id: 'log', by: ADMIN }));
    expect(JSON.stringify(stage.answers.at(-1)?.card)).toMatch(/<@U100>, <@U101>[^"]*<@U\d{3}>[^"]* …\./u);
  });
});
