import type { Item } from '../fakes/dynamo-parser.ts';
import type { Changed } from './change-model.ts';

/** The setting or saved text that a stored item changes. */
export function settingIn(sk: string, old: Item, after: Item | undefined): Changed | undefined {
  const [kind, level = '', of = ''] = sk.split('#');
  if (kind === 'SAVED') return { kind: 'saved', by: old['by']?.S, admins: old['admins']?.BOOL === true };
  // The removal of a person from the audit log, and the list of kinds, are not settings.
  const isSet = after === undefined || textIn(old, 'layer') !== textIn(after, 'layer');
  return kind === 'LEVEL' && isSet && !takesBack(old, after) ? { kind: 'level', level, of } : undefined;
}

/** Whether the change only removes a reference to a removed text, which everybody who may remove the text does. */
function takesBack(old: Item, after: Item | undefined): boolean {
  const [was, is] = [old['layer']?.S, after?.['layer']?.S].map((text) => layerOf(text));
  if (!was || !is) return false;
  const { persona: remover, ...rest } = was;
  return remover !== undefined && JSON.stringify(rest) === JSON.stringify(is);
}

function layerOf(text: string | undefined): Record<string, unknown> | undefined {
  const read: unknown = JSON.parse(text ?? 'null');
  if (typeof read !== 'object' || read === null || !('values' in read)) return undefined;
  return typeof read.values === 'object' && read.values !== null ? { ...read.values } : undefined;
}

const textIn = (item: Item, name: string): string => item[name]?.S ?? '';
