import type { Interaction, Thread } from '../../domain/index.ts';
import type { CommandsContext } from '../context.ts';

/**
 * Whether the person of an interaction, its workspace or one of these threads was erased at `atMs` (ms since 1970) or later: then what was asked
 * before must not be stored again. Consistent read.
 */
export async function isErasedSince(
  atMs: number,
  { by, platform, workspace }: Pick<Interaction, 'by' | 'platform' | 'workspace'>,
  threads: readonly Thread[],
  { erasureMoments }: Pick<CommandsContext, 'erasureMoments'>,
): Promise<boolean> {
  const [people, ...others] = await Promise.all([
    erasureMoments.findForPeople({ platform, workspace }, [by.user]),
    ...[...new Set([workspace, by.workspace])].map((id) => erasureMoments.find({ platform, workspace: id })),
    ...threads.map((thread) => erasureMoments.find({ thread })),
  ]);
  return [people.get(by.user), ...others].some((erasedAt) => erasedAt !== undefined && atMs <= erasedAt);
}
