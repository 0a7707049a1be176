import type { Log } from '../../runtime/index.ts';
import { RetryTimeoutError, type RetryOptions, retryDelay, retryUntilDeadline } from '../index.ts';
import {
  addUnconfirmedPost,
  type AnswerMessage,
  type AnswerState,
  resetMessage,
  listMessageIds,
  createMessageState,
  listVisibleSteps,
} from './answer-state.ts';
import {
  type Layout,
  LayoutChangedError,
  type MessageContent,
  MessageTooLongError,
  type Transport,
  type AnswerContent,
  type NativeStreams,
} from './transport.ts';
import { closeOpenBlocks, findCut, type Range, splitIntoRanges, type TextLimit } from '../markdown/index.ts';
import { ThreadDeletedError, type Step } from '../ports/index.ts';

/** Bounds the requests to a platform that contradicts itself. */
const MAX_ATTEMPTS = 40;
/** The number of refusals that are handled without a delay. */
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
        await continueWithOrphan(message, answer, transport);
      }
      await changeOnce(message, content, answer, transport);
      if (message.id !== undefined && !message.isStreaming && rules.shows(message, content)) return;
    } catch (error) {
      if (error instanceof LayoutChangedError) throw error;
      const failure = rules.classifyError(error);
      if (failure.kind === 'refused') {
        await recoverFromRefusal(error, message, content, answer, transport);
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
    const isUnknown = !(error instanceof LayoutChangedError) && rules.classifyError(error).kind === 'unknown';
    if (isUnknown && !rules.isRepeatable(message)) addUnconfirmedPost(answer);
    throw error;
  }
}

/** Finds the message that an unconfirmed post may have created, and continues with it. */
async function continueWithOrphan<L extends Layout>(
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
async function recoverFromRefusal<L extends Layout>(
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

export type Publishing<L extends Layout> = {
  readonly answer: AnswerState;
  readonly transport: Transport<L>;
  readonly retry: RetryOptions;
  readonly log?: Log | undefined;
};

/**
 * Makes the messages of an answer show the content and nothing else: edits those that there are, posts missing ones, deletes
 * superfluous ones. The words of a message measure at most what the layout says, or less (`max`) if the platform finds them too
 * long. `content.text` is not empty. Throws as `syncMessage` does.
 */
export async function publishAnswer<L extends Layout>(
  content: AnswerContent,
  publishing: Publishing<L>,
  max?: number,
): Promise<void> {
  const { answer, transport, retry } = publishing;
  const { rules, streams } = transport;
  const layout = rules.layOut(content);
  const limit = max === undefined ? layout.limit : { ...layout.limit, max };
  const reserve = streams
    ? (message: AnswerMessage) =>
        stepsSize(message, listVisibleSteps(message, answer, content.steps), streams)
    : () => 0;
  const continued = planMessages(answer, layout.text, limit, reserve);
  // A growing answer has less room for words in each message. Split again without that limit, all words may
  // fit.
  const isTooMany = continued.length > layout.maxMessages;
  const all = isTooMany ? wordRanges(layout.text, splitIntoRanges(layout.text, limit)) : continued;
  const planned = all.slice(0, layout.maxMessages);
  answer.text = layout.text;
  try {
    for (const [index, range] of planned.entries()) {
      const message = (answer.messages[index] ??= createMessageState(index));
      message.from = range.from;
      const text = closeOpenBlocks(layout.text, range, limit);
      const steps = listVisibleSteps(message, answer, content.steps);
      const isLast = index === planned.length - 1;
      const isTruncated = planned.length < all.length;
      await syncMessage(message, { layout, text, steps, isLast, isTruncated }, answer, transport, retry);
    }
  } catch (error) {
    if (error instanceof LayoutChangedError) return publishAnswer(content, publishing, max);
    if (!(error instanceof MessageTooLongError) || limit.max <= rules.minLimit) throw error;
    for (const message of answer.messages) message.from = undefined;
    return publishAnswer(content, publishing, Math.max(rules.minLimit, Math.floor(limit.max / 2)));
  }
  for (const { id } of answer.messages.splice(planned.length)) if (id !== undefined) answer.replaced.push(id);
  await deleteReplaced(publishing);
}

/** What the steps of a stream measure: those that it shows, and the titles of those that it is still to show. */
function stepsSize(
  { streamedSteps, isNative }: AnswerMessage,
  steps: readonly Step[],
  streams: Pick<NativeStreams<never>, 'measureSteps'>,
): number {
  if (!isNative) return 0;
  const missing = steps.filter(({ id }) => !streamedSteps.has(id));
  return streams.measureSteps([
    ...streamedSteps.values(),
    ...missing.map((step) => ({ ...step, details: undefined })),
  ]);
}

/**
 * Plans the split of the text: at the offsets of the posted messages if they show its beginning, and newly
 * from the last of these offsets. `reserve`: the room for everything but words in a message, in the unit of
 * the limit. Ranges of white space only are left out, because platforms refuse them.
 */
function planMessages(
  { messages, text: visibleText }: AnswerState,
  text: string,
  limit: TextLimit,
  reserve: (message: AnswerMessage) => number,
): Range[] {
  const cuts = messages.flatMap(({ from }) => (from === undefined ? [] : [from]));
  const last = cuts.at(-1) ?? 0;
  const complete = cuts.slice(0, -1).map((from, index) => ({ from, to: cuts[index + 1] ?? from }));
  const canContinue =
    last < text.length &&
    text.startsWith(visibleText.slice(0, last)) &&
    complete.every((range, index) => fits(text, range, limit, messages[index]));
  const continuedMessages = canContinue ? complete : [];
  const from = canContinue ? last : 0;
  const message = messages[continuedMessages.length];
  const reserved = message ? reserve(message) : 0;
  const to = from < text.length ? findCut(text, from, limit, { reserved }) : from;
  return wordRanges(text, [...continuedMessages, { from, to }, ...splitIntoRanges(text, limit, to)]);
}

const wordRanges = (text: string, all: readonly Range[]): Range[] =>
  all.filter(({ from, to }) => text.slice(from, to).trim() !== '');

/** Whether a complete message can stay as it is: a stream does, and an edited one if its words still fit. */
export function fits(
  text: string,
  range: Range,
  limit: TextLimit,
  message: Pick<AnswerMessage, 'isNative'> | undefined,
): boolean {
  return message?.isNative === true || limit.unit.size(closeOpenBlocks(text, range, limit)) <= limit.max;
}

/** Deletes all messages of an answer. Rejects if a request fails without a refusal. */
export async function deleteMessages<L extends Layout>(publishing: Publishing<L>): Promise<void> {
  const { answer } = publishing;
  answer.replaced.push(...listMessageIds(answer));
  answer.messages.length = 0;
  await deleteReplaced(publishing);
}

/** Deletes the messages that others have replaced. What the platform refuses to delete stays, and is logged. */
export async function deleteReplaced<L extends Layout>(publishing: Publishing<L>): Promise<void> {
  const { answer, transport, retry, log } = publishing;
  const { replaced } = answer;
  const { rules } = transport;
  const retryDelete = retryUntilDeadline((error) => rules.classifyError(error));
  for (let id = replaced[0]; id !== undefined; id = replaced[0]) {
    const superfluous = id;
    try {
      await retryDelete(() => transport.delete(superfluous), retry);
    } catch (error) {
      const failure = rules.classifyError(error);
      if (failure.kind !== 'refused' || error instanceof ThreadDeletedError) throw error;
      log?.(`${rules.platform}.message-delete-failed`, { reason: failure.code });
    }
    replaced.shift();
  }
}
