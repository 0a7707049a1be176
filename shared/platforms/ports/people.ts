import type { Thread, UserId } from '../../domain/index.ts';

/** What a platform reports about a person. */
export type UserProfile = {
  /** A BCP 47 tag. */
  readonly locale?: string | undefined;
  /** Whether they administer the workspace. */
  readonly admin?: boolean | undefined;
  /** Their time zone (IANA). */
  readonly zone?: string | undefined;
};

/** What permissions depend on. */
export type MemberRoles = {
  /** Whether they administer the workspace. */
  readonly admin: boolean;
  /** Ids of their roles, or of the groups that they are in. */
  readonly roles: readonly string[];
  /** The platform says that they are no member any more: they left, or their account was deactivated. */
  readonly hasLeft?: boolean | undefined;
};

/** The profile of a person, for what an interaction does not tell. Never rejects. */
export type FindUserProfile = (
  place: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
) => Promise<UserProfile>;

/**
 * Whether a channel is known to be open to everybody in its workspace; with `root`, the thread as well. False if it is private, and where the
 * platform does not tell. Never rejects.
 */
export type FindChannelVisibility = (
  place: Omit<Thread, 'root'> & { readonly root?: Thread['root'] | undefined },
) => Promise<boolean>;

/** Whether a person may read a channel; `unknown` where the platform does not tell. */
export type ChannelAccess = 'allowed' | 'denied' | 'unknown';

/** Finds out whether a person may read a channel. Rejects when the platform fails for a time. */
export type FindChannelAccess = (
  place: Pick<Thread, 'platform' | 'workspace' | 'channel'>,
  user: UserId,
) => Promise<ChannelAccess>;

/** The roles of a person in a workspace. Rejects when the platform fails: permission waits for it. */
export type FindMemberRoles = (
  place: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
) => Promise<MemberRoles>;
