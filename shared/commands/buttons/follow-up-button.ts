import { messageId, type Thread } from '../../domain/index.ts';
import { intakeWithin, acceptQuestion } from '../../intake/index.ts';
import { deleteFollowUps } from '../../chat/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { replyIfSilent } from '../definitions/ask.ts';
import { createCannotPostCard } from '../framework/cannot-post-card.ts';
import {
  type InteractionRequest,
  DONE,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';

/**
 * Handles a click on a suggested follow-up question: posts it in its conversation in the name of the person, and queues it as a
 * question. Removes the suggestions. Refuses where the bot is silent.
 */
export const run: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { interaction, payload } = request;
  const { by, id: requestKey } = interaction;
  const [question, root] = payload.action.args;
  const thread = findThread(request, root);
  if (payload.action.name !== 'follow.ask' || !question || !thread) return DONE;
  const silence = replyIfSilent(request, context);
  if (silence) return silence;
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

/**
 * Returns the conversation of a card. In Discord a card can be in a channel itself. Anybody may continue a conversation there that started
 * with a message, whose id is its root. One that started with a command belongs to its person: others continue in their own.
 */
function findThread({ interaction }: InteractionRequest, root = ''): Thread | undefined {
  const { thread, ownThread } = interaction;
  return (
    thread ?? (ownThread && /^\d{1,20}$/u.test(root) ? { ...ownThread, root: messageId(root) } : ownThread)
  );
}
