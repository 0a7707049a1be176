import { RetryTimeoutError, type RetryOptions, retryDelay } from '../index.ts';
import { addUnconfirmedPost, type AnswerMessage, type AnswerState, resetMessage } from './answer-state.ts';
import {
  type Layout,
  LayoutChangedError,
  type MessageContent,
  MessageTooLongError,
  type Transport,
} from './transport.ts';

/** Bounds the requests to a platform that contradicts itself. */
const MAX_ATTEMPTS = 40;
/** So many refusals are handled without a delay. */
const UNDELAYED_ATTEMPTS = 8;
/**
 * After this many failed lookups (about 20 s), the message is posted again: a duplicate is better than no
 * message.
 */
const MAX_LOOKUPS = 8;

/**
 * Makes one message show exactly `content`, whatever state it is in: posts it, edits it, or closes its stream and edits what
 * is wrong. Each attempt is one request; its failure decides the next one.
 *
 * Throws RetryTimeoutError when time runs out or the platform refuses for good, ThreadDeletedError, MessageTooLongError,
 * LayoutChangedError, what `recover` throws, or the reason of the retry's signal.
 */
export async function syncMessage<L extends Layout>(
  message: AnswerMessage,
  content: MessageContent<L>,
  answer: AnswerState,
  transport: Transport<L>,
  retry: RetryOptions,
): Promise<void> {
  const { rules } = transport;
  let lookups = 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      if (message.id === undefined && answer.needsLookup && lookups < MAX_LOOKUPS) {
        lookups += 1;
        await adopt(message, answer, transport);
      }
      await changeOnce(message, content, answer, transport);
      if (message.id !== undefined && !message.isStreaming && rules.shows(message, content)) return;
    } catch (error) {
      if (error instanceof LayoutChangedError) throw error;
      const failure = rules.failureOf(error);
      if (failure.kind === 'refused') {
        await recover(error, message, content, answer, transport);
        if (attempt >= UNDELAYED_ATTEMPTS)
          await retryDelay(attempt - UNDELAYED_ATTEMPTS, undefined, retry, error);
      } else await retryDelay(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, retry, error);
    }
  }
  throw new RetryTimeoutError(`${rules.platform} contradicts itself about a message`);
}

/** Makes the next request, if one is needed. */
async function changeOnce<L extends Layout>(
  message: AnswerMessage,
  content: MessageContent<L>,
  answer: AnswerState,
  transport: Transport<L>,
): Promise<void> {
  const { id } = message;
  if (id === undefined) await post(message, content, answer, transport);
  else if (message.isStreaming) await transport.streams?.close(message, id, content);
  else if (!transport.rules.shows(message, content)) await transport.edit(message, id, content);
}

async function post<L extends Layout>(
  message: AnswerMessage,
  content: MessageContent<L>,
  answer: AnswerState,
  transport: Transport<L>,
): Promise<void> {
  const { rules } = transport;
  try {
    await transport.post(message, content);
  } catch (error) {
    const isUnknown = !(error instanceof LayoutChangedError) && rules.failureOf(error).kind === 'unknown';
    if (isUnknown && !rules.isRepeatable(message)) addUnconfirmedPost(answer);
    throw error;
  }
}

/** Finds the message that an unconfirmed post may have created, and continues with it. */
async function adopt<L extends Layout>(
  message: AnswerMessage,
  answer: AnswerState,
  transport: Transport<L>,
): Promise<void> {
  const known = new Set([...answer.messages.map(({ id }) => id), ...answer.replaced]);
  const orphan = await transport.find({ index: message.index, known, since: answer.unconfirmedSince });
  // If the bot may not search, the post stays unconfirmed: a later search removes a duplicate.
  answer.needsLookup = false;
  if (!orphan) return;
  message.id = orphan.id;
  message.isStreaming = orphan.isStreaming;
  message.shown = undefined;
  answer.unconfirmedPosts -= 1;
}

/** Updates the state of a message according to a refusal. Throws if no further request would help. */
async function recover<L extends Layout>(
  error: unknown,
  message: AnswerMessage,
  content: MessageContent<L>,
  answer: AnswerState,
  { rules }: Transport<L>,
): Promise<void> {
  const recovery = await rules.recover(error, message, content);
  if (recovery === 'retry') return;
  if (recovery === 'split')
    throw new MessageTooLongError(`${rules.platform} refused a message`, { cause: error });
  if (recovery === 'nothing') throw new RetryTimeoutError(`${rules.platform} refused`, { cause: error });
  if (recovery === 'replace' && message.id !== undefined) answer.replaced.push(message.id);
  resetMessage(message);
}
