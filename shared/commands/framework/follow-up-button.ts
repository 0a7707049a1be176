import { intakeWithin, acceptQuestion } from '../../intake/index.ts';
import { deleteFollowUps } from '../../chat/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { memoryLimitReply } from './memory-limit-reply.ts';
import { type InteractionContext, DONE, type CommandRun, replyCard, textCard } from './types.ts';

/**
 * A question that was offered below an answer is asked by whoever pressed it: it is quoted in the thread, and answered. What
 * was offered beside it goes.
 */
export const run: CommandRun<InteractionContext<'action' | 'form'>> = async (called, context) => {
  const { invocation, call } = called;
  const { thread, by, id: key } = invocation;
  const [question] = call.action.args;
  if (call.action.name !== 'follow.ask' || !question || !thread) return DONE;
  try {
    const id = await context.messenger.postCard(thread, { ...textCard(question), by: by.user }, key);
    await deleteFollowUps(thread, call.kind === 'action' ? call.card : undefined, context);
    const asked = { thread, id, author: by.user, authorWorkspace: by.workspace, text: question };
    await acceptQuestion({ ...asked, attachments: [], addressed: 'mention' }, intakeWithin(context));
    return DONE;
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    return replyCard(called, memoryLimitReply(called), context);
  }
};
