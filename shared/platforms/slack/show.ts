import { type Failure, failureOf } from './call-failure.ts';
import { type Messages, SLACK_LIMIT } from './messages.ts';
import type { Answer, Part } from './part.ts';
import { NotShown, type Patience, pauseBefore } from './patience.ts';

/** Slack counts more characters in a part than it takes. The answer has to be split finer. */
export class PartTooLong extends Error {
  override readonly name = 'PartTooLong';
}

/** Even a Slack that contradicts itself is not asked for ever. */
const MOST_ATTEMPTS = 40;
/** When looking for a message fails this often (some 20 s), it is posted again unseen: twice is better than never. */
const MOST_LOOKS = 8;

/**
 * Makes one part show exactly `text`, from whatever state it is in: posts it, ends its stream with the rest, or ends
 * the stream and replaces the text. Each step is one call; a call that fails says what the next step is.
 *
 * Throws NotShown when time runs out or Slack refuses for good, PartTooLong, or the reason of the patience's signal.
 */
export async function showPart(
  part: Part,
  text: string,
  answer: Answer,
  messages: Messages,
  patience: Patience,
): Promise<void> {
  let looks = 0;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      if (part.id === undefined) {
        if (answer.lookFirst && looks < MOST_LOOKS) {
          looks += 1;
          await adopt(part, answer);
        }
        if (part.id === undefined) await post(part, text, answer, messages);
      } else if (part.streaming) await stop(part, text, messages);
      else if (!shows(part, text)) await update(part, text, messages);
      if (part.id !== undefined && !part.streaming && shows(part, text)) return;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'refused') refused(part, failure.code, answer, error);
      else await pauseBefore(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
    }
  }
  throw new NotShown('Slack contradicts itself about a message');
}

/** White space at the end of a message is not to be seen, and no reason for a call. */
function shows(part: Part, text: string): boolean {
  return part.seen !== undefined && part.seen.trimEnd() === text.trimEnd();
}

/** Looks for the message that a post in doubt may have made. */
async function adopt(part: Part, answer: Answer): Promise<void> {
  const known = new Set(answer.parts.map(({ id }) => id));
  const unknown = (await answer.find()).filter(({ id }) => !known.has(id));
  answer.lookFirst = false;
  const found =
    unknown.find((left) => left.part === part.index) ?? unknown.find((left) => left.part === undefined);
  if (!found) return;
  part.id = found.id;
  part.streaming = found.part === undefined;
  part.seen = undefined;
  answer.doubts -= 1;
}

async function post(part: Part, text: string, answer: Answer, messages: Messages): Promise<void> {
  try {
    part.id = await messages.post(part.index, text);
    part.seen = text;
    part.streaming = false;
  } catch (error) {
    if (failureOf(error).kind === 'unknown') inDoubt(answer);
    throw error;
  }
}

export function inDoubt(answer: Answer): void {
  answer.lookFirst = true;
  answer.doubts += 1;
}

async function stop(part: Part, text: string, messages: Messages): Promise<void> {
  if (part.id === undefined) return;
  const rest = shows(part, text) ? '' : restOf(text, part.seen);
  // Slack refuses words that are white space alone.
  const words = rest !== undefined && rest.trim() !== '' && rest.length <= SLACK_LIMIT ? rest : undefined;
  const complete = rest !== undefined && (words !== undefined || rest.trim() === '');
  const { seen } = part;
  // Known again only if the call succeeds: should it fail, the words may be there or not.
  if (words !== undefined) part.seen = undefined;
  await stopOrMark(part, words, seen, messages);
  if (!part.streaming) return;
  part.streaming = false;
  part.seen = complete ? text : undefined;
}

function restOf(text: string, seen: string | undefined): string | undefined {
  return seen !== undefined && text.startsWith(seen) ? text.slice(seen.length) : undefined;
}

/** A refusal means that nothing happened; afterwards an update also gives the message its mark. */
async function stopOrMark(
  part: Part,
  words: string | undefined,
  seen: string | undefined,
  messages: Messages,
): Promise<void> {
  if (part.id === undefined) return;
  try {
    await messages.stop(part.id, part.index, words);
  } catch (error) {
    const failure: Failure = failureOf(error);
    if (failure.kind === 'busy' || failure.kind === 'transient') part.seen = seen;
    if (failure.kind !== 'refused' || failure.code === 'message_not_found') throw error;
    part.seen = undefined;
    // With words something about the words may be wrong: the next try is without.
    part.streaming = words !== undefined && !ENDED.has(failure.code);
    if (part.streaming) throw error;
  }
}

const ENDED = new Set(['message_not_in_streaming_state', 'stopped_by_user']);

async function update(part: Part, text: string, messages: Messages): Promise<void> {
  if (part.id === undefined) return;
  part.seen = undefined;
  await messages.update(part.id, part.index, text);
  part.seen = text;
}

/** Brings a part into the state that a refusal tells of. Throws if no further call would help. */
function refused(part: Part, code: string, answer: Answer, error: unknown): void {
  if (code === 'streaming_state_conflict') {
    part.streaming = true;
    part.seen = undefined;
  } else if (part.id !== undefined && (code === 'message_not_found' || UNEDITABLE.has(code))) {
    if (code !== 'message_not_found') answer.replaced.push(part.id);
    part.id = undefined;
    part.seen = undefined;
    part.streaming = false;
  } else if (TOO_LONG.has(code)) {
    throw new PartTooLong(`Slack refused a part: ${code}`, { cause: error });
  } else if (!part.streaming) {
    throw new NotShown(`Slack refused: ${code}`, { cause: error });
  }
}

const UNEDITABLE = new Set([
  'block_mismatch',
  'cant_update_message',
  'edit_window_closed',
  'message_not_owned_by_app',
]);
const TOO_LONG = new Set(['msg_too_long', 'msg_blocks_too_long', 'msg_blocks_too_many', 'invalid_blocks']);
