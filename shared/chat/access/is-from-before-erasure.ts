import type { AskTask, TurnRef } from '../../domain/index.ts';
import { getMessageTimeMs } from '../../utils/index.ts';
import type { ChatContext } from '../context.ts';

/**
 * Whether the asker, the thread or the workspace was erased after the question was sent. Platforms deliver
 * events again for minutes, and each delivery records the question again: without this check, it would be
 * answered and stored after the erasure.
 */
export async function isFromBeforeErasure(
  { thread, message, asker, askerWorkspace, editedAt }: Pick<AskTask, keyof TurnRef | 'editedAt'>,
  { erasureMoments }: Pick<ChatContext, 'erasureMoments'>,
): Promise<boolean> {
  const { platform } = thread;
  const workspaces = new Set([thread.workspace, askerWorkspace]);
  const [people, ...moments] = await Promise.all([
    erasureMoments.findForPeople(thread, [asker]),
    erasureMoments.find({ thread }),
    ...[...workspaces].map((workspace) => erasureMoments.find({ platform, workspace })),
  ]);
  const erasedUntil = Math.max(people.get(asker) ?? 0, ...moments.map((at) => at ?? 0));
  return (editedAt ?? getMessageTimeMs(message)) <= erasedUntil;
}
