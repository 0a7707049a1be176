import type { Thread } from '../../domain/index.ts';

/** The partition of the calls of a workspace. */
export const callPartition = ({ platform, workspace }: Pick<Thread, 'platform' | 'workspace'>) => ({
  S: `TOOLCALL#${platform}#${workspace}`,
});
