import type { CommandsContext } from '../../context.ts';
import { applyChange, type PresetKind, PRESET_SETTINGS } from '../../../settings/rules/index.ts';
import type { SettingsPlace, StoredLevel } from '../../../storage/index.ts';

/** Returns whether a level applies to other people, so that only admins may change it. */
export const isForOthers = ({ level }: { readonly level: string }): boolean =>
  level === 'workspace' || level === 'channel' || level === 'deployment';

/** Returns whether a preset is in use at a level that only admins may change: then only they may save or remove it. */
export async function isUsedForOthers(
  place: SettingsPlace,
  kind: PresetKind,
  name: string,
  { settingsStore, settings }: Pick<CommandsContext, 'settingsStore' | 'settings'>,
): Promise<boolean> {
  const setting = PRESET_SETTINGS[kind];
  if (setting !== undefined && settings.layers.deployment?.values[setting] === name) return true;
  return (await settingsStore.levelsUsing(place, kind, name)).some(isForOthers);
}

/** Removes a preset's name from all levels, because the preset is removed. Records that in the audit logs. Idempotent. */
export async function clearReferences(
  place: SettingsPlace,
  kind: PresetKind,
  name: string,
  by: string,
  { settingsStore }: Pick<CommandsContext, 'settingsStore'>,
): Promise<void> {
  const setting = PRESET_SETTINGS[kind];
  if (setting === undefined) return;
  for (const { level, place: at } of await settingsStore.levelsUsing(place, kind, name))
    await settingsStore.change(at, level, createRemoval(setting, level, name, by));
}

function createRemoval(setting: 'persona', level: StoredLevel, name: string, by: string) {
  const change = { kind: 'value', level, setting, value: undefined, removed: name } as const;
  return {
    change,
    // Someone may have set another value since.
    edit: (layer: Parameters<typeof applyChange>[0]) =>
      layer.values[setting] === name ? applyChange(layer, setting, change) : undefined,
    by,
  };
}

const MAX_ATTEMPTS = 5;

/** Repeats an attempt if the preset was changed concurrently. */
export async function retryIfChanged<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isChanged = error instanceof Error && error.name === 'PresetChangedError';
      if (!isChanged || tries === MAX_ATTEMPTS) throw error;
    }
  }
}
