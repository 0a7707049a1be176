import type { ChannelId, TurnRef, UserId, WorkspaceId } from '../../domain/index.ts';

/** Somebody or something that a person named in a command or a form. */
export type DirectoryReference = {
  /** What it has to be, as far as the way it is written says: `<#C1>` is a channel, `@sales` a person or a group. */
  readonly kinds: readonly ReferenceKind[];
  readonly by: 'id' | 'name';
  /** The id, or the name in small letters and without a sign. */
  readonly value: string;
  /** The platform itself wrote it as a mention: whoever typed it sees that there is such. */
  readonly mentioned: boolean;
};

export type ReferenceKind = 'person' | 'group' | 'channel' | 'bot';

/**
 * What a reference stands for. `not-found`: nothing of that kind; `ambiguous`: several have that name; `unavailable`: the
 * platform does not let the bot look it up, or does not say at the moment.
 */
export type LookupResult =
  | { readonly kind: 'found'; readonly as: ReferenceKind; readonly id: string }
  | { readonly kind: 'not-found' | 'ambiguous' | 'unavailable' };

export const NOT_FOUND: LookupResult = { kind: 'not-found' };
export const UNAVAILABLE: LookupResult = { kind: 'unavailable' };

/** Where a reference was written. */
export type DirectoryPlace = {
  readonly workspace: WorkspaceId;
  /** Slack: the workspace of who wrote it, where the app is installed for a whole organisation. */
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

/** The first kind that there is such of; where there is none, what kept the bot from knowing, if anything did. */
export async function firstFound(
  kinds: readonly ReferenceKind[],
  lookUp: (kind: ReferenceKind) => Promise<LookupResult>,
): Promise<LookupResult> {
  let result = NOT_FOUND;
  for (const kind of kinds) {
    const found = await lookUp(kind);
    if (found.kind === 'found') return found;
    if (found.kind !== 'not-found') result = found;
  }
  return result;
}

/** Of those that have a name, the one; `exact` have it as their account's name, which no two people share. */
export function oneOf(
  as: ReferenceKind,
  named: readonly { readonly id: string; readonly exact: boolean }[],
): LookupResult {
  const exact = named.filter((one) => one.exact);
  const [only, ...others] = exact.length > 0 ? exact : named;
  if (!only) return NOT_FOUND;
  return others.length > 0 ? { kind: 'ambiguous' } : { kind: 'found', as, id: only.id };
}
