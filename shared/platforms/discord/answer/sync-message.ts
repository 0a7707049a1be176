import { RetryTimeoutError, type RetryOptions, retryDelay } from '../../retry.ts';
import { ThreadDeletedError } from '../../ports/platform.ts';
import { failureOf, hasCode, isForbidden, refusalKind } from '../api/errors.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { type Body, BodyOutdated, type Messages } from '../api/messages.ts';
import { ChannelUnreachable } from '../api/message-sender.ts';
import type { LiveAnswer, AnswerPart } from './live-answer.ts';

/** Even a Discord that contradicts itself is not asked for ever. */
const MAX_ATTEMPTS = 40;

/** Discord counts more characters in a part than it takes. The answer has to be split finer. */
export class PartTooLong extends Error {
  override readonly name = 'PartTooLong';
}

/** The bot may write there, but perhaps not attach files. */
export class FilesRefused extends Error {
  override readonly name = 'FilesRefused';
}

/**
 * Makes one part show exactly `wanted`: posts it, or replaces what it shows. Each step is one request; one that fails says what
 * the next step is. Throws RetryTimeoutError when time runs out or Discord refuses for good, ThreadDeletedError, Unreachable, PartTooLong,
 * FilesRefused, BodyOutdated, or the reason of the patience's signal.
 */
export async function syncMessage(
  part: AnswerPart,
  wanted: Body,
  answer: LiveAnswer,
  messages: Messages,
  patience: RetryOptions,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const body = answer.bare ? { ...wanted, components: [] } : wanted;
    const face = faceOf(body);
    try {
      if (part.id === undefined) await post(part, body, answer, messages);
      else if (part.seen !== face) {
        part.seen = undefined;
        await messages.edit(part.id, body);
        part.seen = face;
      }
      if (part.seen === face) return;
    } catch (error) {
      if (error instanceof BodyOutdated) throw error;
      const failure = failureOf(error);
      if (error instanceof ChannelUnreachable || failure.kind === 'refused')
        refused(part, body, answer, error);
      else await retryDelay(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
    }
  }
  throw new RetryTimeoutError('Discord contradicts itself about a message');
}

async function post(part: AnswerPart, body: Body, answer: LiveAnswer, messages: Messages): Promise<void> {
  try {
    const { id, content } = await messages.post(part.index, part.nth, body);
    part.id = id;
    // A post that was repeated is answered with the message that there is, which may show something older.
    part.seen = content === undefined || content.trim() === body.content.trim() ? faceOf(body) : undefined;
  } catch (error) {
    const unknown = !(error instanceof BodyOutdated) && failureOf(error).kind === 'unknown';
    if (unknown && !messages.repeatable(part.index)) await lookFor(part, answer);
    throw error;
  }
}

/** Looks for the message that a post in doubt may have made. Where nobody can look, it is posted again: twice is better than never. */
async function lookFor(part: AnswerPart, answer: LiveAnswer): Promise<void> {
  answer.doubts += 1;
  const known = new Set([...answer.parts.map(({ id }) => id), ...answer.replaced]);
  const found = (await answer.find().catch(() => [])).find((id) => !known.has(id));
  if (found === undefined) return;
  part.id = found;
  part.seen = undefined;
  answer.doubts -= 1;
}

function faceOf({ content, components, files }: Body): string {
  return JSON.stringify([
    content,
    components,
    files.map(({ name, content: bytes }) => [name, bytes.byteLength]),
  ]);
}

/** Brings a part into the state that a refusal tells of. Throws if no further request would help. */
function refused(part: AnswerPart, body: Body, answer: LiveAnswer, error: unknown): void {
  if (body.files.length > 0 && isForbidden(error))
    throw new FilesRefused('Discord refused a message with files', { cause: error });
  if (error instanceof ThreadDeletedError || error instanceof ChannelUnreachable) throw error;
  if (refusalKind(error) === 'message-not-found') anew(part);
  else if (part.id !== undefined && hasCode(error, ...NO_LONGER_EDITABLE)) {
    answer.replaced.push(part.id);
    anew(part);
  } else if (
    hasCode(error, ERROR_CODES.InvalidFormBodyOrContentType) &&
    body.components.length > 0 &&
    !answer.bare
  )
    answer.bare = true;
  else if (hasCode(error, ERROR_CODES.InvalidFormBodyOrContentType) && body.content.length > 1_000) {
    throw new PartTooLong('Discord refused a part', { cause: error });
  } else throw new RetryTimeoutError('Discord refused', { cause: error });
}

const NO_LONGER_EDITABLE = [
  ERROR_CODES.MaximumNumberOfEditsToMessagesOlderThanOneHourReached,
  ERROR_CODES.CannotEditMessageAuthoredByAnotherUser,
] as const;

function anew(part: AnswerPart): void {
  part.id = undefined;
  part.seen = undefined;
  part.nth += 1;
}
