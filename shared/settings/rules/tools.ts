import { getListIds } from './access.ts';
import { ADMIN_LEVELS } from './level-names.ts';
import { type SettingsLayers, resolveSetting } from './resolve-settings.ts';

/** Whether a text can be the name of a source of tools: lower-case letters, digits and `-`, at most 24 characters. */
export const isToolSourceName = (text: string): boolean => /^[a-z][a-z0-9-]{0,23}$/u.test(text);

const enabledEntries = (layers: SettingsLayers): readonly string[] =>
  resolveSetting(ADMIN_LEVELS, 'tools', layers).value ?? [];

/** Returns whether any source of tools is on here. If not, nothing about tools has to be read. */
export const hasEnabledTools = (layers: SettingsLayers): boolean => enabledEntries(layers).length > 0;

/**
 * Returns the names of the sources of tools that this person may use here, each once. An entry without an id is for everybody. `lookUpRoles`
 * is called only if an entry has an id. Rejects when it does. Administrators need an entry as everybody else: nobody should be surprised by
 * what their questions cause.
 */
export async function findEnabledTools(
  user: string,
  layers: SettingsLayers,
  lookUpRoles: () => Promise<{ readonly roles: readonly string[] }>,
): Promise<readonly string[]> {
  const entries = enabledEntries(layers).map((entry): readonly [name: string, id: string | undefined] => {
    const at = entry.indexOf('@');
    return at < 0 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
  });
  const isLimited = entries.some(([, id]) => id !== undefined && id !== user);
  const ids = new Set(getListIds(user, isLimited ? (await lookUpRoles()).roles : []));
  return [...new Set(entries.flatMap(([name, id]) => (id === undefined || ids.has(id) ? [name] : [])))];
}
