import type { MessageId } from '../../../domain/index.ts';
import type { AnswerMessage } from '../../live-answer/index.ts';
import type { Step } from '../../ports/index.ts';
import { failureOf } from '../api/errors.ts';
import type { Content } from '../blocks/answer-blocks.ts';
import type { LastMessage, Messages } from '../posts/messages.ts';
import { closingOf, showsWords, type SlackRendering } from './rendering.ts';
import { cardsBeside, outdatedCards, taskChunk } from './task-cards.ts';

/**
 * Closes the stream of a message with what it lacks: words, cards, blocks. If it shows other words, or has no room, it is closed
 * as it is, for an edit to follow. Sets what is then known of the message. Rejects as SlackCall does.
 */
export async function closeStream(
  message: AnswerMessage,
  id: MessageId,
  content: Content,
  rendering: SlackRendering,
  messages: Messages,
  isOverfull: boolean,
): Promise<void> {
  const { shown } = message;
  const { text } = content;
  const rest = showsWords(message, text) ? '' : restOf(text, shown);
  const steps = rest === undefined || isOverfull ? undefined : lastCards(message, content, rendering);
  // Slack refuses words that are white space alone.
  const words = steps && rest?.trim() !== '' ? rest : undefined;
  // Where a table block is wanted, the message is edited anyway.
  const under = rendering.hasTableBlock(content) ? [] : content.under;
  const cards = steps?.map((step) => taskChunk(step, message.streamedSteps.get(step.id))) ?? [];
  const last: LastMessage = steps ? { words, cards, under } : {};
  // Known again only if the request succeeds: if it fails, the words may be there or not.
  if (words !== undefined || cards.length > 0) message.shown = undefined;
  await stop(message, id, last, shown, messages);
  if (!message.isStreaming) return;
  message.isStreaming = false;
  message.shown = steps ? text : undefined;
  message.frame = closingOf({ under });
  for (const step of steps ?? []) message.streamedSteps.set(step.id, step);
}

/** The cards that the stream still has to show; undefined if it has no room for all of them. */
function lastCards(
  { streamedSteps }: AnswerMessage,
  { text, steps }: Content,
  { limit }: SlackRendering,
): readonly Step[] | undefined {
  const outdated = outdatedCards(streamedSteps, steps);
  const { fitting, left } = cardsBeside(limit.unit.size(text), outdated, streamedSteps, limit);
  return left.length === 0 ? fitting : undefined;
}

function restOf(text: string, shown: string | undefined): string | undefined {
  return shown !== undefined && text.startsWith(shown) ? text.slice(shown.length) : undefined;
}

/** Makes the request. A refusal means that nothing happened; a stream that has ended already gets its metadata by an edit. */
async function stop(
  message: AnswerMessage,
  id: MessageId,
  last: LastMessage,
  shown: string | undefined,
  messages: Messages,
): Promise<void> {
  try {
    await messages.stop(id, message.index, last);
  } catch (error) {
    const failure = failureOf(error);
    message.shown = failure.kind === 'busy' || failure.kind === 'transient' ? shown : undefined;
    if (failure.kind !== 'refused' || failure.code === 'message_not_found') throw error;
    // The appended content may be the reason: the next attempt sends none.
    const { words, cards = [], under = [] } = last;
    const hasContent = words !== undefined || cards.length > 0 || under.length > 0;
    message.isStreaming = hasContent && !CLOSED.has(failure.code);
    if (message.isStreaming) throw error;
  }
}

const CLOSED = new Set(['message_not_in_streaming_state', 'stopped_by_user']);
