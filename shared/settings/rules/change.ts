import * as v from 'valibot';
import type { SettingLevel } from './level-names.ts';
import type { SettingsLayer, SettingsLayers, SettingLock } from './resolve-levels.ts';
import { resolve } from './resolve-settings.ts';
import { isSetting, SETTINGS, type SettingName } from './values.ts';

/** Something to be changed: a value set or, without one, taken back; a lock put on or taken off. */
export type SettingChange = {
  readonly level: SettingLevel;
  readonly setting: string;
} & (
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** Of a value that names a saved text, the id of that text. */
      readonly id?: string | undefined;
      /** The value is taken back because the text of this name was removed. */
      readonly removed?: string | undefined;
    }
  | { readonly kind: 'lock'; readonly lock: SettingLock | undefined }
);

/** Who wants it. */
export type SettingChanger = {
  readonly user: string;
  readonly admin: boolean;
  /** Whose level `person` is changed. */
  readonly person: string;
};

/** Whether a change is granted, or why not and who may. */
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

/** The longest reason of a lock. */
const MAX_REASON_LENGTH = 200;

/**
 * May this be changed? One's own settings and those of a thread by everybody who may use the bot there; those of a channel
 * and of the workspace by those who administer the workspace; those of the deployment by whoever deploys it, not here.
 * What a weaker level has locked, nobody changes at a stronger one.
 */
export function decideChange(
  change: SettingChange,
  who: SettingChanger,
  layers: SettingsLayers,
): ChangeDecision {
  const { level, setting } = change;
  if (!isSetting(setting)) return { kind: 'refused', why: 'unknown' };
  const refusal = notTheirs(change, setting, who);
  if (refusal) return { kind: 'refused', why: refusal };
  const { lock } = resolve(setting, layers);
  if (lock && isStronger(level, lock.by)) return { kind: 'refused', why: 'locked', lock };
  // A person's own lock would bind the channels they are in.
  if (change.kind === 'lock' && level === 'person') return { kind: 'refused', why: 'own-lock' };
  return fits(change, setting) ? { kind: 'granted', setting } : { kind: 'refused', why: 'wrong' };
}

function notTheirs({ level, kind }: SettingChange, setting: SettingName, who: SettingChanger) {
  if (level === 'deployment') return 'deployment';
  if (!SETTINGS[setting].levels.some((one) => one === level)) return 'not-here';
  if ((level === 'channel' || level === 'workspace' || kind === 'lock') && !who.admin) return 'not-admin';
  return level === 'person' && who.person !== who.user ? 'not-yours' : undefined;
}

function fits(change: SettingChange, setting: SettingName): boolean {
  if (change.kind === 'value')
    return change.value === undefined || v.is(SETTINGS[setting].shape, change.value);
  return (change.lock?.reason.length ?? 0) <= MAX_REASON_LENGTH;
}

const ORDER: Readonly<Record<SettingLevel, number>> = {
  thread: 4,
  channel: 3,
  person: 2,
  workspace: 1,
  deployment: 0,
};
const isStronger = (level: SettingLevel, than: SettingLevel): boolean => ORDER[level] > ORDER[than];

/** The layer with a granted change in it. */
export function applyChange(
  layer: SettingsLayer,
  setting: SettingName,
  change: SettingChange,
): SettingsLayer {
  if (change.kind === 'lock') return { ...layer, locks: { ...layer.locks, [setting]: change.lock } };
  const after = { ...layer, values: { ...layer.values, [setting]: change.value } };
  if (layer.ids === undefined && change.id === undefined) return after;
  return { ...after, ids: { ...layer.ids, [setting]: change.id } };
}

/** One line of the audit log of a level. */
export type AuditEntry = {
  /** ms since 1970. */
  readonly at: number;
  readonly by: string;
  readonly setting: string;
  /**
   * What it was set to, as JSON: a value; `{"lock": reason}` for a lock, whose reason is null where it was taken off. Empty
   * where the value was taken back. Earlier versions cut the JSON after 120 characters, and wrote a lock taken off as empty.
   */
  readonly to: string;
  /** Where the value was taken back because a saved text was removed: its name. */
  readonly removed?: string | undefined;
};

/** Characters of a value that the audit log keeps. */
const MAX_AUDITED_CHARACTERS = 100;
/** So many changes of one level are remembered. */
const REMEMBERED = 50;

/** The list with one more change, the newest first. */
export function auditEntry(
  list: readonly AuditEntry[],
  change: SettingChange,
  by: string,
  at: number,
): AuditEntry[] {
  const removed = change.kind === 'value' ? change.removed : undefined;
  const line = {
    at,
    by,
    setting: change.setting,
    to: auditedValue(change),
    ...(removed !== undefined && { removed }),
  };
  return [line, ...list].slice(0, REMEMBERED);
}

function auditedValue(change: SettingChange): string {
  if (change.kind === 'lock')
    return JSON.stringify({ lock: change.lock ? shortened(change.lock.reason) : null });
  const { value } = change;
  if (value === undefined) return '';
  if (Array.isArray(value)) return JSON.stringify(firstOf(value.map(String)));
  return JSON.stringify(typeof value === 'string' ? shortened(value) : value);
}

const shortened = (text: string): string =>
  text.length <= MAX_AUDITED_CHARACTERS
    ? text
    : `${text.slice(0, MAX_AUDITED_CHARACTERS - 1).toWellFormed()}…`;

/** As many entries as fit, each whole, and a mark where there are more. */
function firstOf(entries: readonly string[]): string[] {
  let characters = 0;
  const fitting = entries.findIndex((entry) => {
    characters += entry.length + 1;
    return characters > MAX_AUDITED_CHARACTERS;
  });
  return fitting < 0 ? [...entries] : [...entries.slice(0, fitting), '…'];
}
