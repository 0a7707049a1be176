import type { Failure } from '../patience.ts';
import { ThreadGone } from '../platform.ts';
import { inWords } from '../text/index.ts';
import { bodyOf, type Content, hasTable, replacementOf } from './blocks.ts';
import { failureOf } from './call-failure.ts';
import { unlessRateLimited } from './history-limit.ts';
import type { Last, Messages } from './messages.ts';
import type { Answer, Part } from './part.ts';
import { NotShown, type Patience, pauseBefore } from './patience.ts';
import { cardsBeside, outdatedCards, taskChunk } from './task-cards.ts';

/** Slack counts more characters in a part than it takes. The answer has to be split finer. */
export class PartTooLong extends Error {
  override readonly name = 'PartTooLong';
}

/** Even a Slack that contradicts itself is not asked for ever, and after a few times not at once. */
const MOST_ATTEMPTS = 40;
const AT_ONCE = 8;
/** So often Slack says that a stream is none and that it is one; then it is left for a message of its own. */
const MOST_CONFLICTS = 2;
/** When looking for a message fails this often (some 20 s), it is posted again unseen: twice is better than never. */
const MOST_LOOKS = 8;

/**
 * Makes one part show exactly `wanted`, from whatever state it is in: posts it, ends its stream with the rest, or ends
 * the stream and replaces the content. Each step is one call; a call that fails says what the next step is.
 *
 * Throws NotShown when time runs out or Slack refuses for good, ThreadGone, PartTooLong, or the reason of the patience's
 * signal.
 */
export async function showPart(
  part: Part,
  wanted: Content,
  answer: Answer,
  messages: Messages,
  patience: Patience,
): Promise<void> {
  let looks = 0;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const content = allowed(wanted, answer);
    try {
      if (part.id === undefined) {
        if (answer.lookFirst && looks < MOST_LOOKS) {
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
        if (attempt >= AT_ONCE) await pauseBefore(attempt - AT_ONCE, undefined, patience, error);
      } else
        await pauseBefore(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
    }
  }
  throw new NotShown('Slack contradicts itself about a message');
}

/** As much of it as Slack has not refused yet. */
function allowed(wanted: Content, { bare, unlinked }: Answer): Content {
  const text = unlinked ? withoutSlackLinks(wanted.text) : wanted.text;
  return bare ? { text, steps: [], under: [] } : { ...wanted, text };
}

function shows(part: Part, content: Content, answer: Answer): boolean {
  if (!showsWords(part, content.text)) return false;
  if (!part.native) return part.face === faceOf(content, answer);
  const tables = answer.tables > 0 && hasTable(content.text);
  return !tables && part.face === closingOf(content) && showsSteps(part, content);
}

/** White space at the end of a message is not to be seen, and no reason for a call. */
function showsWords({ seen }: Part, text: string): boolean {
  return seen !== undefined && seen.trimEnd() === text.trimEnd();
}

/** What stands around the words of a message that was posted or replaced. */
function faceOf(content: Content, { tables }: Answer): string {
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
function showsSteps({ cards }: Part, { steps }: Content): boolean {
  return steps.every(({ id, state }) => cards.get(id)?.state === state);
}

/**
 * Looks for the message that a post in doubt may have made. A stream without a mark is taken for it only if it was begun
 * since: one thread has one answer on its way at a time.
 */
async function adopt(part: Part, answer: Answer): Promise<void> {
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

async function post(part: Part, content: Content, answer: Answer, messages: Messages): Promise<void> {
  try {
    part.id = await messages.post(part.index, bodyOf(content, answer.tables));
    replaced(part, content, answer);
    part.streaming = false;
  } catch (error) {
    if (failureOf(error).kind === 'unknown') inDoubt(answer);
    throw error;
  }
}

/** Nothing was heard of a post, or of a stream that was to begin at `streamAt` (ms). */
export function inDoubt(answer: Answer, streamAt = Infinity): void {
  answer.lookFirst = true;
  answer.doubts += 1;
  answer.doubtfulSince = Math.min(answer.doubtfulSince, streamAt - MAX_CLOCK_SKEW_MS);
}

/** Slack's clock and ours may differ by so much. */
const MAX_CLOCK_SKEW_MS = 60_000;

async function stop(part: Part, content: Content, answer: Answer, messages: Messages): Promise<void> {
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
  const last: Last = steps ? { words, cards, under } : {};
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
function cardsToEndWith({ cards }: Part, { text, steps }: Content, { limit }: Answer) {
  const { fitting, left } = cardsBeside(limit.unit.size(text), outdatedCards(cards, steps), cards, limit);
  return left.length === 0 ? fitting : undefined;
}

function restOf(text: string, seen: string | undefined): string | undefined {
  return seen !== undefined && text.startsWith(seen) ? text.slice(seen.length) : undefined;
}

/** A refusal means that nothing happened; afterwards an update also gives the message its mark. */
async function stopOrMark(
  part: Part,
  last: Last,
  seen: string | undefined,
  messages: Messages,
): Promise<void> {
  if (part.id === undefined) return;
  try {
    await messages.stop(part.id, part.index, last);
  } catch (error) {
    const failure: Failure = failureOf(error);
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

async function update(part: Part, content: Content, answer: Answer, messages: Messages): Promise<void> {
  if (part.id === undefined) return;
  part.seen = undefined;
  const { tables, withoutBlocks } = answer;
  const body = withoutBlocks ? bodyOf(content, tables) : replacementOf(content, tables);
  await messages.update(part.id, part.index, body);
  replaced(part, content, answer);
}

function replaced(part: Part, content: Content, answer: Answer): void {
  part.seen = content.text;
  part.face = faceOf(content, answer);
  part.native = false;
  part.cards.clear();
}

/**
 * Gives up what Slack may have refused: links to its files; table blocks, then all that stands around the words, then blocks
 * altogether.
 */
function plainer(code: string, part: Part, content: Content, answer: Answer): boolean {
  if (NOT_SHARED.test(code) && !part.streaming && withoutSlackLinks(content.text) !== content.text) {
    answer.unlinked = true;
    return true;
  }
  if (!BLOCKS.has(code)) return false;
  // A stream is then ended without blocks, and replaced.
  if (part.streaming) return content.under.length > 0;
  if (answer.tables > 0 && hasTable(content.text)) {
    answer.tables = 0;
    return true;
  }
  if (code === 'msg_blocks_too_long') return false;
  if (content.steps.length + content.under.length > 0) {
    answer.bare = true;
    return true;
  }
  if (part.id === undefined || answer.withoutBlocks) return false;
  answer.withoutBlocks = true;
  return true;
}

/** To people of other companies, links to files, canvases and lists may be closed: then they stand there as words. */
const NOT_SHARED = /^slack_connect_\w+_blocked$/;
const withoutSlackLinks = (text: string): string => text.replaceAll(/\bslack\.com(?=\/)/gi, 'slack[.]com');

const BLOCKS = new Set([
  'invalid_arguments',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
]);

/** Brings a part into the state that a refusal tells of. Throws if no further call would help. */
function refused(part: Part, code: string, answer: Answer, error: unknown): void {
  if (error instanceof ThreadGone) throw error;
  const conflict = code === 'streaming_state_conflict';
  if (conflict) part.conflicts += 1;
  if (conflict && part.conflicts <= MOST_CONFLICTS) {
    part.streaming = true;
    part.seen = undefined;
  } else if (part.id !== undefined && (conflict || UNEDITABLE.has(code))) {
    answer.replaced.push(part.id);
    part.conflicts = 0;
    part.id = undefined;
    part.seen = undefined;
    part.streaming = false;
    part.native = false;
    part.overfull = false;
    part.cards.clear();
  } else if (part.streaming && !part.overfull && code === 'msg_too_long') {
    part.overfull = true;
  } else if (TOO_LONG.has(code)) {
    throw new PartTooLong(`Slack refused a part: ${code}`, { cause: error });
  } else if (!part.streaming) {
    throw new NotShown(`Slack refused: ${code}`, { cause: error });
  }
}

/** Another message takes its place. What is not found is removed all the same: Slack may not find what people see. */
const UNEDITABLE = new Set([
  'block_mismatch',
  'cant_update_message',
  'edit_window_closed',
  'message_not_found',
  'message_not_owned_by_app',
]);
const TOO_LONG = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
  'invalid_blocks',
  'invalid_attachments',
]);
