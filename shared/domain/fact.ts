import type { PlatformName } from './thread.ts';
import type { UserId, WorkspaceId } from './ids.ts';

/** In characters. */
export const MAX_FACT_LENGTH = 300;
/** The most facts that a person has in a workspace. */
export const MAX_FACTS = 50;

/** Whose facts: people have some in each workspace, and never see those of another. */
export type FactOwner = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly user: UserId;
};

/** Something that is remembered about a person beyond one thread. */
export type Fact = {
  /** Six hex digits, never used again. */
  readonly id: string;
  /** One line, at most `MAX_FACT_LENGTH` characters. */
  readonly text: string;
  /** Learned where not everybody in the workspace can read. Used in direct messages of the person only. */
  readonly isPrivate: boolean;
  /** When it was learned or changed (ms since 1970). */
  readonly at: number;
};
