import type { Card, UserId } from '../domain/index.ts';
import type { KeyPlace, WorkspaceKey } from '../storage/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import * as names from '../i18n/labels/option-labels.ts';
import { formatCommand, type TypedCommandFormat } from '../i18n/labels/format-usage.ts';

/** The key that a workspace or guild brought along, as the flows see it: it goes in and never comes out. */
export type WorkspaceKeyStore = {
  readonly find: (home: KeyPlace) => Promise<DisplayedKey | undefined>;
  /** Seals the key and keeps it; the one before is gone. */
  readonly save: (home: KeyPlace, value: string, owner: UserId) => Promise<void>;
  readonly remove: (home: KeyPlace) => Promise<void>;
};

/** What is shown of a key: `name` tells it from others without giving it away. */
export type DisplayedKey = Pick<WorkspaceKey, 'name' | 'owner' | 'at' | 'refused'>;

const MIN_LENGTH = 8;
const MAX_LENGTH = 512;

/** The key in what a person typed; undefined for what no key looks like: a header has to carry it. */
export function readKey(text: string): string | undefined {
  const key = text.trim();
  return key.length >= MIN_LENGTH && key.length <= MAX_LENGTH && /^[\x21-\x7e]+$/u.test(key)
    ? key
    : undefined;
}

/** What there is of a key, and what can be done about it. */
export function keyCard(key: DisplayedKey | undefined, locale: Locale): Card {
  const set = {
    kind: 'button',
    label: localize(locale, key ? 'usage.key.change' : 'usage.key.set'),
    action: { name: 'key.set-form', args: [] },
  } as const;
  const remove = {
    kind: 'button',
    label: localize(locale, 'usage.key.remove'),
    style: 'danger',
    confirm: localize(locale, 'usage.key.remove-sure'),
    action: { name: 'key.remove', args: [] },
  } as const;
  const state = key && localize(locale, 'usage.key.is', { name: key.name });
  const refused = key?.refused === undefined ? [] : [localize(locale, 'usage.key.refused')];
  return {
    title: localize(locale, 'usage.key.title'),
    // Who brought it along.
    by: key?.owner,
    tone: refused.length > 0 ? 'bad' : undefined,
    parts: [
      { kind: 'text', markdown: [state ?? localize(locale, 'usage.key.none'), ...refused].join('\n') },
      { kind: 'note', markdown: localize(locale, 'usage.key.note') },
      { kind: 'controls', controls: key ? [set, remove] : [set] },
    ],
  };
}

/** What the owner of a key is told when the upstream refused it. */
export const refusedCard = (
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
        command: formatCommand(names.key, where, settings),
      }),
    },
  ],
});
