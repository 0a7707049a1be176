import type { ChatContext } from '../context.ts';
import type { MessageId, Turn, TurnRef } from '../../domain/index.ts';
import { ThreadDeletedError } from '../../platforms/ports/index.ts';
import { answerFooter } from '../display/cost-footer.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import { answerActions } from '../display/answer-actions.ts';

/** Makes the posted answer equal the stored one and removes duplicates. Returns whether all messages could be searched. */
export async function publishStoredAnswer(
  turn: TurnRef,
  { question, ending }: Pick<Turn, 'question' | 'ending'>,
  posted: readonly MessageId[],
  context: Pick<ChatContext, 'platform' | 'signals' | 'settings' | 'price'>,
): Promise<boolean> {
  const { platform, settings } = context;
  const pendingLocale = resolveTurnLocale(turn, context);
  const { messages, unsearched } = await findOrphanedMessages(turn, context);
  const existing = [...new Set([...posted, ...messages])].toSorted();
  const locale = await pendingLocale;
  const footer = await answerFooter(ending, locale, context);
  try {
    const reply = platform.reply(turn, existing, { question, locale: pendingLocale });
    // An earlier worker may have left a status.
    await reply.stopStreaming();
    await reply.publish(ending.text, answerActions(ending, [], settings, locale, footer));
  } catch (error) {
    if (!(error instanceof ThreadDeletedError)) throw error;
  }
  return !unsearched;
}
