import { type ChatContext, deleteBotMessages } from '../chat/index.ts';
import type { RegenerateTask } from '../domain/index.ts';
import type { ToolsContext } from '../tools/index.ts';

/** If a change deletes a question, removes the calls of tools that were proposed for it, and their cards: both show its words. */
export async function removeProposedCalls(
  { thread, message, change }: RegenerateTask,
  context: Pick<ToolsContext, 'toolServers'> & Pick<ChatContext, 'messenger' | 'log'>,
): Promise<void> {
  if (change.kind !== 'edited' || change.question !== '' || change.attachments.length > 0) return;
  const questions = change.editedMessage === undefined ? [message] : [message, change.editedMessage];
  const cards = await context.toolServers.calls.removeOfQuestion(thread, questions);
  await deleteBotMessages(thread, cards, context);
}
