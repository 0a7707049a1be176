import type { CallFailure } from '../../retry.ts';
import { inWords } from '../../markdown/index.ts';
import { bodyOf, type Content, hasTable, replacementOf } from '../blocks/answer-blocks.ts';
import { failureOf } from '../api/errors.ts';
import { unlessRateLimited } from '../lookup/history-limit.ts';
import type { LastMessage, Messages } from '../posts/messages.ts';
import type { LiveAnswer, AnswerPart } from './live-answer.ts';
import { RetryTimeoutError, type RetryOptions, retryDelay } from '../api/retry.ts';
import { plainer, refused, withoutSlackLinks } from './refused-message.ts';
import { cardsBeside, outdatedCards, taskChunk } from './task-cards.ts';

/** Even a Slack that contradicts itself is not asked for ever, and after a few times not at once. */
const MAX_ATTEMPTS = 40;
const AT_ONCE = 8;
/** When looking for a message fails this often (some 20 s), it is posted again unseen: twice is better than never. */
const MAX_CHECKS = 8;

/**
 * Makes one part show exactly `wanted`, from whatever state it is in: posts it, ends its stream with the rest, or ends
 * the stream and replaces the content. Each step is one call; a call that fails says what the next step is.
 *
 * Throws RetryTimeoutError when time runs out or Slack refuses for good, ThreadDeletedError, PartTooLong, or the reason of the patience's
 * signal.
 */
export async function syncMessage(
  part: AnswerPart,
  wanted: Content,
  answer: LiveAnswer,
  messages: Messages,
  patience: RetryOptions,
): Promise<void> {
  let looks = 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const content = allowed(wanted, answer);
    try {
      if (part.id === undefined) {
        if (answer.lookFirst && looks < MAX_CHECKS) {
          looks += 1;
          await adopt(part, answer);
        }
        if (part.id === undefined) await post(part, content, answer, messages);
      } else if (part.streaming) await stop(part, content, answer, messages);
      else if (!shows(part, content, answer)) await update(part, content, answer, messages);
      if (part.id !== undefined && !part.streaming && shows(part, content, answer)) return;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'refused') {
        if (!plainer(failure.code, part, content, answer)) refused(part, failure.code, answer, error);
        if (attempt >= AT_ONCE) await retryDelay(attempt - AT_ONCE, undefined, patience, error);
      } else await retryDelay(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
    }
  }
  throw new RetryTimeoutError('Slack contradicts itself about a message');
}

/** As much of it as Slack has not refused yet. */
function allowed(wanted: Content, { bare, unlinked }: LiveAnswer): Content {
  const text = unlinked ? withoutSlackLinks(wanted.text) : wanted.text;
  return bare ? { text, steps: [], under: [] } : { ...wanted, text };
}

function shows(part: AnswerPart, content: Content, answer: LiveAnswer): boolean {
  if (!showsWords(part, content.text)) return false;
  if (!part.native) return part.face === faceOf(content, answer);
  const tables = answer.tables > 0 && hasTable(content.text);
  return !tables && part.face === closingOf(content) && showsSteps(part, content);
}

/** White space at the end of a message is not to be seen, and no reason for a call. */
function showsWords({ seen }: AnswerPart, text: string): boolean {
  return seen !== undefined && seen.trimEnd() === text.trimEnd();
}

/** What stands around the words of a message that was posted or replaced. */
function faceOf(content: Content, { tables }: LiveAnswer): string {
  const block = tables > 0 && hasTable(content.text) ? `${tables}` : '';
  return `${block}${content.steps.map(inWords).join('\n')}${closingOf(content)}`;
}

function closingOf({ under }: Content): string {
  return under.length === 0 ? '' : JSON.stringify(under);
}

/**
 * The cards of a stream that has ended change only by an edit, which takes them all away. They stay for as long as they say
 * how each step ended.
 */
function showsSteps({ cards }: AnswerPart, { steps }: Content): boolean {
  return steps.every(({ id, state }) => cards.get(id)?.state === state);
}

/**
 * Looks for the message that a post in doubt may have made. A stream without a mark is taken for it only if it was begun
 * since: one thread has one answer on its way at a time.
 */
async function adopt(part: AnswerPart, answer: LiveAnswer): Promise<void> {
  const known = new Set(answer.parts.map(({ id }) => id));
  // Where Slack does not let the app look, it is posted unseen, and stays in doubt: a later look removes what is too many.
  const found = (await unlessRateLimited(answer.find)) ?? [];
  const unknown = found.filter(({ id }) => !known.has(id));
  answer.lookFirst = false;
  const own =
    unknown.find((left) => left.part === part.index) ??
    unknown.find((left) => left.part === undefined && Number(left.id) * 1_000 >= answer.doubtfulSince);
  if (!own) return;
  part.id = own.id;
  part.streaming = own.part === undefined;
  part.seen = undefined;
  answer.doubts -= 1;
}

async function post(
  part: AnswerPart,
  content: Content,
  answer: LiveAnswer,
  messages: Messages,
): Promise<void> {
  try {
    part.id = await messages.post(part.index, bodyOf(content, answer.tables));
    replaced(part, content, answer);
    part.streaming = false;
  } catch (error) {
    if (failureOf(error).kind === 'unknown') isUnconfirmed(answer);
    throw error;
  }
}

/** Nothing was heard of a post, or of a stream that was to begin at `streamAt` (ms). */
export function isUnconfirmed(answer: LiveAnswer, streamAt = Infinity): void {
  answer.lookFirst = true;
  answer.doubts += 1;
  answer.doubtfulSince = Math.min(answer.doubtfulSince, streamAt - MAX_CLOCK_SKEW_MS);
}

/** Slack's clock and ours may differ by so much. */
const MAX_CLOCK_SKEW_MS = 60_000;

async function stop(
  part: AnswerPart,
  content: Content,
  answer: LiveAnswer,
  messages: Messages,
): Promise<void> {
  if (part.id === undefined) return;
  const { seen } = part;
  const { text } = content;
  const rest = showsWords(part, text) ? '' : restOf(text, seen);
  const steps = rest === undefined || part.overfull ? undefined : cardsToEndWith(part, content, answer);
  // Slack refuses words that are white space alone.
  const words = steps && rest?.trim() !== '' ? rest : undefined;
  // Where a table block is wanted the message is replaced anyway.
  const under = answer.tables > 0 && hasTable(text) ? [] : content.under;
  const cards = steps?.map((step) => taskChunk(step, part.cards.get(step.id))) ?? [];
  const last: LastMessage = steps ? { words, cards, under } : {};
  // Known again only if the call succeeds: should it fail, the words may be there or not.
  if (words !== undefined || cards.length > 0) part.seen = undefined;
  await stopOrMark(part, last, seen, messages);
  if (!part.streaming) return;
  part.streaming = false;
  part.seen = steps ? text : undefined;
  part.face = closingOf({ ...content, under });
  for (const step of steps ?? []) part.cards.set(step.id, step);
}

/** The cards that a stream still has to show; undefined where it does not hold all that it is to show. */
function cardsToEndWith({ cards }: AnswerPart, { text, steps }: Content, { limit }: LiveAnswer) {
  const { fitting, left } = cardsBeside(limit.unit.size(text), outdatedCards(cards, steps), cards, limit);
  return left.length === 0 ? fitting : undefined;
}

function restOf(text: string, seen: string | undefined): string | undefined {
  return seen !== undefined && text.startsWith(seen) ? text.slice(seen.length) : undefined;
}

/** A refusal means that nothing happened; afterwards an update also gives the message its mark. */
async function stopOrMark(
  part: AnswerPart,
  last: LastMessage,
  seen: string | undefined,
  messages: Messages,
): Promise<void> {
  if (part.id === undefined) return;
  try {
    await messages.stop(part.id, part.index, last);
  } catch (error) {
    const failure: CallFailure = failureOf(error);
    if (failure.kind === 'busy' || failure.kind === 'transient') part.seen = seen;
    else part.seen = undefined;
    if (failure.kind !== 'refused' || failure.code === 'message_not_found') throw error;
    // With something to add, that may be what is wrong: the next try is without.
    const { words, cards = [], under = [] } = last;
    const full = words !== undefined || cards.length > 0 || under.length > 0;
    part.streaming = full && !ENDED.has(failure.code);
    if (part.streaming) throw error;
  }
}

const ENDED = new Set(['message_not_in_streaming_state', 'stopped_by_user']);

async function update(
  part: AnswerPart,
  content: Content,
  answer: LiveAnswer,
  messages: Messages,
): Promise<void> {
  if (part.id === undefined) return;
  part.seen = undefined;
  const { tables, withoutBlocks } = answer;
  const body = withoutBlocks ? bodyOf(content, tables) : replacementOf(content, tables);
  await messages.update(part.id, part.index, body);
  replaced(part, content, answer);
}

function replaced(part: AnswerPart, content: Content, answer: LiveAnswer): void {
  part.seen = content.text;
  part.face = faceOf(content, answer);
  part.native = false;
  part.cards.clear();
}
