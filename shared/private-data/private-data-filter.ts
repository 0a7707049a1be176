import { resolve, type SettingsLayers } from '../settings/rules/index.ts';
import { parseCustomPatterns } from './custom-patterns.ts';
import type { PrivateDataFilter } from './find-private-data.ts';
import type { PrivateKind } from './text-reader.ts';

const KINDS = new Map<string, PrivateKind>([
  ['cards', 'card'],
  ['keys', 'key'],
  ['emails', 'email'],
  ['phones', 'phone'],
  ['ibans', 'iban'],
]);

/** Returns what the settings mask at a place; undefined if nothing. */
export function getFilter(layers: SettingsLayers): PrivateDataFilter | undefined {
  const names = resolve('mask', layers).value ?? [];
  const written = resolve('maskPatterns', layers).value;
  const patterns = written === undefined ? [] : parseCustomPatterns(written);
  const kinds = new Set(
    names.flatMap((name) => (name === 'all' ? [...KINDS.values()] : (KINDS.get(name) ?? []))),
  );
  const leavesOutMedia = names.includes('media');
  return kinds.size > 0 || patterns.length > 0 || leavesOutMedia
    ? { kinds, patterns, leavesOutMedia }
    : undefined;
}
