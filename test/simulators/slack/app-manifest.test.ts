import { describe, expect, test } from '@jest/globals';
import { appOf, ManifestError } from './app-manifest.ts';
import { ADA, setUp } from './harness.ts';

const shortcut = (nth: number, type = 'message') => ({
  name: `Shortcut ${nth}`,
  type,
  callback_id: `shortcut-${nth}`,
  description: 'What it does',
});
const withShortcuts = (...shortcuts: object[]) => ({ features: { shortcuts } });
const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth);

describe('a manifest', () => {
  test('has at most five shortcuts of each type', () => {
    const shortcuts = numbers(5).flatMap((nth) => [shortcut(nth), shortcut(nth + 5, 'global')]);
    expect(appOf(withShortcuts(...shortcuts)).shortcuts).toMatchObject(
      numbers(5).map((nth) => ({ callback_id: `shortcut-${nth}` })),
    );
    expect(() => appOf(withShortcuts(...numbers(6).map((nth) => shortcut(nth))))).toThrow(ManifestError);
    expect(() => appOf(withShortcuts(...numbers(6).map((nth) => shortcut(nth, 'global'))))).toThrow(
      'invalid_manifest: /features/shortcuts at most 5 shortcuts of the type global',
    );
  });

  test('has no name of more than 24 characters, and no empty list of shortcuts', () => {
    expect(() => appOf(withShortcuts({ ...shortcut(1), name: 'x'.repeat(25) }))).toThrow(
      '/features/shortcuts/0/name',
    );
    expect(() => appOf(withShortcuts())).toThrow('/features/shortcuts');
    expect(appOf({ features: {} })).toEqual({ commands: [], shortcuts: [] });
  });
});

test('the menu of a message has the shortcuts of the manifest, and nothing else', () => {
  const { workspace } = setUp({ identity: appOf(withShortcuts(shortcut(1))) });
  const ts = workspace.say(ADA, 'hi');
  expect(workspace.shortcut(ADA, 'shortcut-1', ts)).toMatchObject({ callback_id: 'shortcut-1' });
  expect(() => workspace.shortcut(ADA, 'shortcut-2', ts)).toThrow('no such shortcut: shortcut-2');
});
