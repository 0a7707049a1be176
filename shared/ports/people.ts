import type { Thread, UserId } from '../domain/index.ts';
import type { MemberRoles, UserProfile } from '../platforms/ports/platform.ts';

/** What is known of a person beside what an interaction tells. Never rejects. */
export type FindUserProfile = (
  of: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
) => Promise<UserProfile>;

/** What a person is in a workspace. Rejects when the platform does not say: permission waits for it. */
export type FindMemberRoles = (
  of: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
) => Promise<MemberRoles>;
