import type { CommandsContext } from '../context.ts';
import type { Card, Thread } from '../../domain/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import type { FormDraft } from '../../storage/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import { createCannotPostCard } from './cannot-post-card.ts';
import { type InteractionRequest, replyCard } from './types.ts';

/**
 * Shows a draft to everyone: in a thread; without one, in the channel of the interaction; where the bot may not post, as a
 * public response. Marks the draft as sent. Idempotent. If the thread was deleted, tells the person and resolves with false.
 */
export async function showPublicly(
  request: InteractionRequest,
  thread: Thread | undefined,
  card: Card,
  draft: FormDraft,
  context: Pick<CommandsContext, 'messenger' | 'drafts' | 'time' | 'log'>,
): Promise<boolean> {
  const { interaction } = request;
  const { messenger, drafts } = context;
  const key = `sent-${draft.id}`;
  try {
    if (thread) await messenger.postCard(thread, card, key);
    else await messenger.startThread({ ...interaction, id: key }, card);
  } catch (error) {
    if (error instanceof ThreadDeletedError) {
      await replyCard(request, createCannotPostCard(request), context);
      return false;
    }
    if (!(error instanceof CannotPostError)) throw error;
    await messenger.respond(interaction, card, true);
  }
  await drafts.change(getInteractionSettingsPlace(interaction), draft, { value: draft.value, sent: true });
  return true;
}
