import type { CommandsContext } from '../context.ts';
import type { PlatformName } from '../../domain/index.ts';
import type { LookupResult, DirectoryReference, ReferenceKind } from '../../platforms/ports/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { InteractionRequest } from '../framework/types.ts';
import type { CommandSpec, Options } from '../framework/command-spec.ts';

/** The formats of mentions and ids per platform. */
const REFERENCE_PATTERNS: Readonly<
  Record<
    PlatformName,
    {
      readonly mentions: readonly [RegExp, ReferenceKind][];
      readonly ids: readonly [RegExp, ReferenceKind][];
    }
  >
> = {
  slack: {
    mentions: [
      [/^<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>$/u, 'person'],
      [/^<!subteam\^(S[A-Z0-9]+)(?:\|[^<>]*)?>$/u, 'group'],
      [/^<#([CDG][A-Z0-9]+)(?:\|[^<>]*)?>$/u, 'channel'],
    ],
    ids: [
      [/^([UW][A-Z0-9]+)$/u, 'person'],
      [/^(S[A-Z0-9]+)$/u, 'group'],
      [/^([CDG][A-Z0-9]+)$/u, 'channel'],
      [/^([AB][A-Z0-9]+)$/u, 'bot'],
    ],
  },
  discord: {
    mentions: [
      [/^<@!?(\d{1,20})>$/u, 'person'],
      [/^<@&(\d{1,20})>$/u, 'group'],
      [/^<#(\d{1,20})>$/u, 'channel'],
    ],
    ids: [
      [/^(\d{1,20})$/u, 'person'],
      [/^&?(\d{1,20})$/u, 'group'],
      [/^(\d{1,20})$/u, 'channel'],
      [/^(\d{1,20})$/u, 'bot'],
    ],
  },
};

/**
 * Parses a word as a reference of these kinds, most likely first: by mention, id or name. Empty if it mentions something of
 * another kind.
 */
export function parseReference(
  platform: PlatformName,
  word: string,
  accepted: readonly ReferenceKind[],
): readonly DirectoryReference[] {
  const text = word.normalize('NFKC').trim();
  const { mentions, ids } = REFERENCE_PATTERNS[platform];
  for (const [form, kind] of mentions) {
    const value = form.exec(text)?.[1];
    // Discord mentions bots as it does people.
    const kinds = accepted.filter((one) => one === kind || (one === 'bot' && kind === 'person'));
    if (value !== undefined) return kinds.length === 0 ? [] : [{ kinds, by: 'id', value, mentioned: true }];
  }
  const byId = ids.flatMap(([form, kind]) => {
    const value = form.exec(text)?.[1];
    return value !== undefined && accepted.includes(kind) ? [{ kind, value }] : [];
  });
  const [sign = ''] = /^[@#]/u.exec(text) ?? [];
  const name = text.slice(sign.length).toLowerCase();
  const named = accepted.filter((kind) => sign === '' || (kind === 'channel') === (sign === '#'));
  return [
    ...byId.map(({ kind, value }): DirectoryReference => ({
      kinds: [kind],
      by: 'id',
      value,
      mentioned: false,
    })),
    ...(name === '' || name.startsWith('<') || named.length === 0
      ? []
      : [{ kinds: named, by: 'name' as const, value: name, mentioned: false }]),
  ];
}

/** What a setting or option may refer to. */
const ACCEPTED_KINDS = {
  person: ['person'],
  people: ['person', 'group'],
  bots: ['person', 'bot'],
  channels: ['channel'],
} as const satisfies Readonly<Record<string, readonly ReferenceKind[]>>;
export type AcceptedReference = keyof typeof ACCEPTED_KINDS;

/** Resolves a word to the id that is stored; otherwise to a sentence that says why it is invalid and what is expected. */
export async function resolveReference(
  request: InteractionRequest,
  { directory }: Pick<CommandsContext, 'directory'>,
  word: string,
  accepted: AcceptedReference,
): Promise<{ readonly id: string } | { readonly sentence: string }> {
  const { interaction, locale } = request;
  const { platform, workspace, channel, by } = interaction;
  const place = { platform, workspace, channel, team: by.workspace };
  let result: LookupResult = { kind: 'not-found' };
  for (const reference of parseReference(platform, word, ACCEPTED_KINDS[accepted])) {
    result = await directory.find(place, reference);
    if (result.kind === 'found') return { id: result.id };
    // The platform cannot check the id: accept it.
    if (result.kind === 'unavailable' && reference.by === 'id') return { id: formatId(reference, platform) };
  }
  return { sentence: describeLookupError(result.kind, word, accepted, locale) };
}

/** Discord roles are stored with the `&` of their mentions. */
const formatId = ({ value, kinds: [kind] }: DirectoryReference, platform: PlatformName): string =>
  platform === 'discord' && kind === 'group' ? `&${value}` : value;

/** Replaces the people in options with their ids. Returns a sentence if a person is unknown. */
export async function resolvePeople(
  request: InteractionRequest,
  context: Pick<CommandsContext, 'directory'>,
  spec: CommandSpec,
  options: Options,
): Promise<{ readonly options: Options } | { readonly sentence: string }> {
  const resolved: Record<string, Options[string]> = { ...options };
  for (const { name, kind } of spec.options) {
    const value = options[name];
    if (kind !== 'user' || value === undefined) continue;
    const person = await resolveReference(request, context, String(value), 'person');
    if ('sentence' in person) return person;
    resolved[name] = person.id;
  }
  return { options: resolved };
}

const MAX_QUOTED_CHARACTERS = 60;

function describeLookupError(
  why: Exclude<LookupResult['kind'], 'found'>,
  word: string,
  accepted: AcceptedReference,
  locale: Locale,
): string {
  const name = word
    .replaceAll(/[`<>\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_QUOTED_CHARACTERS)
    .toWellFormed();
  const expected = localize(locale, `commands.who.${accepted}`);
  return `${localize(locale, `commands.who.${why}`, { name })} ${expected}`;
}
