import type { Card, UserId } from '../conversation/index.ts';
import type { KeyPlace, OwnKey } from '../store/index.ts';
import { type Locale, say } from '../texts/index.ts';
import * as names from './commands/names.ts';
import { typed, type Typing } from './commands/typed.ts';

/** The key that a workspace or guild brought along, as the flows see it: it goes in and never comes out. */
export type OwnKeySide = {
  readonly find: (home: KeyPlace) => Promise<ShownKey | undefined>;
  /** Seals the key and keeps it; the one before is gone. */
  readonly save: (home: KeyPlace, value: string, owner: UserId) => Promise<void>;
  readonly remove: (home: KeyPlace) => Promise<void>;
};

/** What is shown of a key: `name` tells it from others without giving it away. */
export type ShownKey = Pick<OwnKey, 'name' | 'owner' | 'at' | 'refused'>;

const SHORTEST = 8;
const LONGEST = 512;

/** The key in what a person typed; undefined for what no key looks like: a header has to carry it. */
export function readKey(text: string): string | undefined {
  const key = text.trim();
  return key.length >= SHORTEST && key.length <= LONGEST && /^[\x21-\x7e]+$/u.test(key) ? key : undefined;
}

/** What there is of a key, and what can be done about it. */
export function keyCard(key: ShownKey | undefined, locale: Locale): Card {
  const set = {
    kind: 'button',
    label: say(locale, key ? 'usage.key.change' : 'usage.key.set'),
    action: { name: 'key.set-form', args: [] },
  } as const;
  const remove = {
    kind: 'button',
    label: say(locale, 'usage.key.remove'),
    style: 'danger',
    confirm: say(locale, 'usage.key.remove-sure'),
    action: { name: 'key.remove', args: [] },
  } as const;
  const state = key && say(locale, 'usage.key.is', { name: key.name });
  const refused = key?.refused === undefined ? [] : [say(locale, 'usage.key.refused')];
  return {
    title: say(locale, 'usage.key.title'),
    // Who brought it along.
    by: key?.owner,
    tone: refused.length > 0 ? 'bad' : undefined,
    parts: [
      { kind: 'text', markdown: [state ?? say(locale, 'usage.key.none'), ...refused].join('\n') },
      { kind: 'note', markdown: say(locale, 'usage.key.note') },
      { kind: 'controls', controls: key ? [set, remove] : [set] },
    ],
  };
}

/** What the owner of a key is told when the upstream refused it. */
export const refusedCard = (
  { name }: Pick<ShownKey, 'name'>,
  locale: Locale,
  where: Typing,
  settings: { readonly slackCommand: string },
): Card => ({
  title: say(locale, 'usage.key.title'),
  tone: 'bad',
  parts: [
    {
      kind: 'text',
      markdown: say(locale, 'usage.key.taken-out', {
        name,
        command: typed(names.key, where, settings),
      }),
    },
  ],
});
