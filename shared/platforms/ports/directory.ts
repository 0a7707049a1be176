import type { ChannelId, TurnRef, UserId, WorkspaceId } from '../../domain/index.ts';

/** A person, group, channel or bot as written in a command or modal. */
export type DirectoryReference = {
  /** The kinds that the notation allows: `<#C1>` is a channel, `@sales` a person or a group. */
  readonly kinds: readonly ReferenceKind[];
  readonly by: 'id' | 'name';
  /** The id, or the name in lower case without `@` or `#`. */
  readonly value: string;
  /** The platform wrote it as a mention: it exists. */
  readonly mentioned: boolean;
};

export type ReferenceKind = 'person' | 'group' | 'channel' | 'bot';

/**
 * Result of a lookup. `not-found`: there is none; `ambiguous`: several have that name; `unavailable`: the bot lacks the permission, or
 * the platform fails just now.
 */
export type LookupResult =
  | { readonly kind: 'found'; readonly as: ReferenceKind; readonly id: string }
  | { readonly kind: 'not-found' | 'ambiguous' | 'unavailable' };

export const NOT_FOUND: LookupResult = { kind: 'not-found' };
export const UNAVAILABLE: LookupResult = { kind: 'unavailable' };

/** Where a reference was written. */
export type DirectoryPlace = {
  readonly workspace: WorkspaceId;
  /** Slack: the workspace of the author, where the app is installed for an organization. */
  readonly team?: WorkspaceId | undefined;
  readonly channel?: ChannelId | undefined;
};

/** Tells which language people read. */
export interface LocaleFinder {
  /** A BCP 47 tag; undefined where the platform does not tell. Never rejects. */
  getLocale(turn: TurnRef, user: UserId): Promise<string | undefined>;
}

/** The people, groups and channels of a workspace. */
export interface Directory {
  /** Looks a reference up. Never rejects. */
  find(place: DirectoryPlace, reference: DirectoryReference): Promise<LookupResult>;
}

/** Looks up one kind after the other until one is found. If none is, the result tells what prevented a lookup. */
export async function findFirst(
  kinds: readonly ReferenceKind[],
  lookUp: (kind: ReferenceKind) => Promise<LookupResult>,
): Promise<LookupResult> {
  let result = NOT_FOUND;
  for (const kind of kinds) {
    const lookup = await lookUp(kind);
    if (lookup.kind === 'found') return lookup;
    if (lookup.kind !== 'not-found') result = lookup;
  }
  return result;
}

/** Chooses among those with a name. `exact`: it is the name of the account, which is unique. */
export function chooseMatch(
  as: ReferenceKind,
  matches: readonly { readonly id: string; readonly exact: boolean }[],
): LookupResult {
  const exact = matches.filter((one) => one.exact);
  const [only, ...others] = exact.length > 0 ? exact : matches;
  if (!only) return NOT_FOUND;
  return others.length > 0 ? { kind: 'ambiguous' } : { kind: 'found', as, id: only.id };
}

/** Whether one of the names is the searched one, which is normalized (NFKC) and in lower case. */
export const isNamed = (searched: string, ...names: readonly (string | null | undefined)[]): boolean =>
  names.some((name) => name?.normalize('NFKC').toLowerCase() === searched);
