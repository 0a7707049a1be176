import type { Card, UserId } from '../domain/index.ts';
import type { KeyPlace, WorkspaceKey } from '../storage/index.ts';
import { type Locale, localize, formatCommand, type TypedCommandFormat, keyLabel } from '../i18n/index.ts';

/** Stores the API key of a workspace or guild. The key itself cannot be read back. */
export type WorkspaceKeyStore = {
  readonly find: (place: KeyPlace) => Promise<DisplayedKey | undefined>;
  /** Encrypts and stores the key. Replaces the previous one. */
  readonly save: (place: KeyPlace, value: string, owner: UserId) => Promise<void>;
  readonly remove: (place: KeyPlace) => Promise<void>;
};

/** What is shown of a key. `name` identifies it without revealing it. */
export type DisplayedKey = Pick<WorkspaceKey, 'name' | 'owner' | 'at' | 'rejectedAt'>;

const MIN_KEY_LENGTH = 8;
const MAX_KEY_LENGTH = 512;

/** Parses a typed key; undefined if it cannot be one. Only visible ASCII fits into an HTTP header. */
export function parseUpstreamKey(text: string): string | undefined {
  const key = text.trim();
  return key.length >= MIN_KEY_LENGTH && key.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/u.test(key)
    ? key
    : undefined;
}

/** Shows the state of the key, with buttons to change it. */
export function keyCard(key: DisplayedKey | undefined, locale: Locale): Card {
  const setButton = {
    kind: 'button',
    label: localize(locale, key ? 'usage.key.change' : 'usage.key.set'),
    action: { name: 'key.set-form', args: [] },
  } as const;
  const removeButton = {
    kind: 'button',
    label: localize(locale, 'usage.key.remove'),
    style: 'danger',
    confirm: localize(locale, 'usage.key.remove-sure'),
    action: { name: 'key.remove', args: [] },
  } as const;
  const state = key && localize(locale, 'usage.key.is', { name: key.name });
  const rejection = key?.rejectedAt === undefined ? [] : [localize(locale, 'usage.key.refused')];
  return {
    title: localize(locale, 'usage.key.title'),
    by: key?.owner,
    tone: rejection.length > 0 ? 'bad' : undefined,
    parts: [
      { kind: 'text', markdown: [state ?? localize(locale, 'usage.key.none'), ...rejection].join('\n') },
      { kind: 'note', markdown: localize(locale, 'usage.key.note') },
      { kind: 'controls', controls: key ? [setButton, removeButton] : [setButton] },
    ],
  };
}

/** Tells the owner of a key that the model API rejected it. */
export const rejectedKeyCard = (
  { name }: Pick<DisplayedKey, 'name'>,
  locale: Locale,
  where: TypedCommandFormat,
  settings: { readonly slackCommand: string },
): Card => ({
  title: localize(locale, 'usage.key.title'),
  tone: 'bad',
  parts: [
    {
      kind: 'text',
      markdown: localize(locale, 'usage.key.taken-out', {
        name,
        command: formatCommand(keyLabel, where, settings),
      }),
    },
  ],
});
