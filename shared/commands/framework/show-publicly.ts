import type { CommandsContext } from '../context.ts';
import type { Card, Thread } from '../../domain/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import type { FormDraft } from '../../storage/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import { explainBlockedWords } from '../../ports/index.ts';
import { getErrorFacts } from '../../utils/index.ts';
import { createCannotPostCard } from './cannot-post-card.ts';
import { type InteractionRequest, replyCard } from './types.ts';

/**
 * Shows a draft to everyone: in a thread; without one, in the channel of the interaction; where the bot may not post, as a
 * public response. Marks the draft as sent. Idempotent. If the thread was deleted, or a filter blocks the words, tells the person and resolves with
 * false.
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
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    // A public response must not show what a filter keeps out of the channel.
    if (error instanceof ThreadDeletedError || error.why === 'words-blocked') {
      await replyCard(request, createCannotPostCard(request, error), context);
      return false;
    }
    if (!(await respondPublicly(request, card, context))) return false;
  }
  await drafts.change(getInteractionSettingsPlace(interaction), draft, { value: draft.value, sent: true });
  return true;
}

/** Responds for everyone. Resolves with false if a filter blocks the words; then the person is told. Rejects if the response fails otherwise. */
async function respondPublicly(
  request: InteractionRequest,
  card: Card,
  context: Pick<CommandsContext, 'messenger' | 'time' | 'log'>,
): Promise<boolean> {
  try {
    await context.messenger.respond(request.interaction, card, true);
    return true;
  } catch (error) {
    const notice = explainBlockedWords(error, request.locale);
    if (!notice) throw error;
    context.log('interaction.response-failed', { ...getErrorFacts(error), reason: 'words-blocked' });
    await replyCard(request, notice, context);
    return false;
  }
}
