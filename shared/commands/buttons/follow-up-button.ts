import { intakeWithin, acceptQuestion } from '../../intake/index.ts';
import { deleteFollowUps } from '../../chat/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { createCannotPostCard } from '../framework/cannot-post-card.ts';
import {
  type InteractionRequest,
  DONE,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';

/**
 * Handles a click on a suggested follow-up question: posts it in the thread in the name of the person, and queues it as a
 * question. Removes the suggestions.
 */
export const run: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { interaction, payload } = request;
  const { thread, by, id: requestKey } = interaction;
  const [question] = payload.action.args;
  if (payload.action.name !== 'follow.ask' || !question || !thread) return DONE;
  try {
    const id = await context.messenger.postCard(thread, { ...textCard(question), by: by.user }, requestKey);
    await deleteFollowUps(thread, payload.kind === 'action' ? payload.card : undefined, context);
    const message = { thread, id, author: by.user, authorWorkspace: by.workspace, text: question };
    await acceptQuestion({ ...message, attachments: [], addressed: 'mention' }, intakeWithin(context));
    return DONE;
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    return replyCard(request, createCannotPostCard(request, error), context);
  }
};
