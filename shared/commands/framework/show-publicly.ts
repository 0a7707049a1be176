import type { CommandsContext } from '../context.ts';
import type { Card, Thread } from '../../domain/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import type { FormDraft } from '../../storage/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import { memoryLimitReply } from './memory-limit-reply.ts';
import { type AnyPayload, replyCard } from './types.ts';

/**
 * Shows to all what somebody had made for themselves: in a thread or, without one, in the channel of the call; where the bot
 * may not write, as an open answer to the call. Then it counts as sent. Done again, it is found and not doubled. Where the thread
 * is gone, whoever pressed is told, and this resolves with false.
 */
export async function showPublicly(
  called: AnyPayload,
  thread: Thread | undefined,
  card: Card,
  draft: FormDraft,
  context: Pick<CommandsContext, 'messenger' | 'drafts' | 'time' | 'log'>,
): Promise<boolean> {
  const { invocation } = called;
  const { messenger: stage, drafts } = context;
  const key = `sent-${draft.id}`;
  try {
    if (thread) await stage.postCard(thread, card, key);
    else await stage.startThread({ ...invocation, id: key }, card);
  } catch (error) {
    if (error instanceof ThreadDeletedError) {
      await replyCard(called, memoryLimitReply(called), context);
      return false;
    }
    if (!(error instanceof CannotPostError)) throw error;
    await stage.respond(invocation, card, true);
  }
  await drafts.change(getInteractionSettingsPlace(invocation), draft, { value: draft.value, sent: true });
  return true;
}
