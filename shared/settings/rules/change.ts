import * as v from 'valibot';
import type { SettingLevel } from './level-names.ts';
import {
  type SettingsLayer,
  type SettingsLayers,
  type SettingLock,
  findBindingLock,
} from './resolve-settings.ts';
import { isSetting, SETTINGS, type SettingName } from './values.ts';

/** A change of a setting: of its value (undefined removes it) or of its lock. */
export type SettingChange = {
  readonly level: SettingLevel;
  readonly setting: string;
} & (
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** The id of the preset that the value names. */
      readonly id?: string | undefined;
      /** The name of the preset whose removal also removes the value. */
      readonly removed?: string | undefined;
    }
  | { readonly kind: 'lock'; readonly lock: SettingLock | undefined }
);

/** The person who changes a setting. */
export type SettingChanger = {
  readonly user: string;
  readonly admin: boolean;
  /** The person whose own settings are changed, at level `person`. */
  readonly person: string;
};

/** Whether a change is granted; if not, why. */
export type ChangeDecision =
  | { readonly kind: 'granted'; readonly setting: SettingName }
  | {
      readonly kind: 'refused';
      readonly why: 'unknown' | 'not-here' | 'wrong' | 'not-admin' | 'not-yours' | 'own-lock' | 'deployment';
    }
  | {
      readonly kind: 'refused';
      readonly why: 'locked';
      readonly lock: SettingLock & { readonly by: SettingLevel };
    };

/** In characters. */
const MAX_REASON_LENGTH = 200;

/**
 * Decides whether a person may change a setting. Everyone who may use the bot changes their own settings and those of a
 * thread; admins of the workspace change those of channels and the workspace; deployment settings change only with a
 * deployment. A lock of a weaker level forbids changes at stronger levels; that of a thread also changes there by people who are no admins.
 */
export function authorizeChange(
  change: SettingChange,
  changer: SettingChanger,
  layers: SettingsLayers,
): ChangeDecision {
  const { level, setting } = change;
  if (!isSetting(setting)) return { kind: 'refused', why: 'unknown' };
  const refusal = findChangeRefusal(change, setting, changer);
  if (refusal) return { kind: 'refused', why: refusal };
  const lock = findBindingLock(setting, { level, admin: changer.admin }, layers);
  if (lock) return { kind: 'refused', why: 'locked', lock };
  // Persons are weaker than channels: a person's lock would apply to channels.
  if (change.kind === 'lock' && level === 'person') return { kind: 'refused', why: 'own-lock' };
  return isValidChange(change, setting) ? { kind: 'granted', setting } : { kind: 'refused', why: 'wrong' };
}

function findChangeRefusal({ level, kind }: SettingChange, setting: SettingName, changer: SettingChanger) {
  if (level === 'deployment') return 'deployment';
  if (!SETTINGS[setting].levels.some((one) => one === level)) return 'not-here';
  if ((level === 'channel' || level === 'workspace' || kind === 'lock') && !changer.admin) return 'not-admin';
  return level === 'person' && changer.person !== changer.user ? 'not-yours' : undefined;
}

function isValidChange(change: SettingChange, setting: SettingName): boolean {
  if (change.kind === 'value')
    return change.value === undefined || v.is(SETTINGS[setting].schema, change.value);
  return (change.lock?.reason.length ?? 0) <= MAX_REASON_LENGTH;
}

/** Applies a granted change to a layer. */
export function applyChange(
  layer: SettingsLayer,
  setting: SettingName,
  change: SettingChange,
): SettingsLayer {
  if (change.kind === 'lock') return { ...layer, locks: { ...layer.locks, [setting]: change.lock } };
  const changed = { ...layer, values: { ...layer.values, [setting]: change.value } };
  if (layer.ids === undefined && change.id === undefined) return changed;
  return { ...changed, ids: { ...layer.ids, [setting]: change.id } };
}

/** One line of the audit log of a level. */
export type AuditEntry = {
  /** ms since 1970. */
  readonly at: number;
  readonly by: string;
  readonly setting: string;
  /**
   * The new value as JSON; for a lock `{"lock": reason}`, with null if the lock was removed. Empty if the value was
   * removed. Earlier versions cut the JSON after 120 characters, and stored the removal of a lock as empty.
   */
  readonly to: string;
  /** The name of the preset whose removal also removed the value. */
  readonly removed?: string | undefined;
};

/** In characters; longer values are shortened. */
const MAX_AUDIT_VALUE_LENGTH = 100;
/** Per level; older entries are dropped. */
const MAX_AUDIT_ENTRIES = 50;

/** Adds a change to the audit log; newest first. */
export function addAuditEntry(
  log: readonly AuditEntry[],
  change: SettingChange,
  by: string,
  at: number,
): AuditEntry[] {
  const removed = change.kind === 'value' ? change.removed : undefined;
  const entry = {
    at,
    by,
    setting: change.setting,
    to: formatAuditValue(change),
    ...(removed !== undefined && { removed }),
  };
  return [entry, ...log].slice(0, MAX_AUDIT_ENTRIES);
}

function formatAuditValue(change: SettingChange): string {
  if (change.kind === 'lock')
    return JSON.stringify({ lock: change.lock ? shortenValue(change.lock.reason) : null });
  const { value } = change;
  if (value === undefined) return '';
  if (Array.isArray(value)) return JSON.stringify(shortenList(value.map(String)));
  return JSON.stringify(typeof value === 'string' ? shortenValue(value) : value);
}

/** Cuts at a code point. */
const shortenValue = (text: string): string =>
  text.length <= MAX_AUDIT_VALUE_LENGTH
    ? text
    : `${text.slice(0, MAX_AUDIT_VALUE_LENGTH - 1).replace(/\p{Cs}$/u, '')}…`;

/** Keeps as many whole entries as fit, and adds `…` if there are more. */
function shortenList(entries: readonly string[]): string[] {
  let characters = 0;
  const end = entries.findIndex((entry) => {
    characters += entry.length + 1;
    return characters > MAX_AUDIT_VALUE_LENGTH;
  });
  return end < 0 ? [...entries] : [...entries.slice(0, end), '…'];
}
