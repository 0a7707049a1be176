import type { TaskUpdateChunk } from '@slack/types';
import type { Step } from '../../ports/index.ts';
import { cardOf, inBytes, type TextLimit, UTF8_BYTES } from '../../markdown/index.ts';

/**
 * What a streamed message holds of words and task cards together. Slack documents no number; live probes were refused between
 * 10,600 and 11,300 bytes of UTF-8 (openclaw/openclaw#143882).
 */
export const STREAM_LIMIT = inBytes(10_000);
/** Slack renders details as rich text, and counts them twice (same probes). */
const DETAILS_WEIGHT = 2;
const MAX_TITLE_BYTES = 300;
const MAX_DETAILS_BYTES = 1_500;
/** Of all cards of an answer: most of a message is for its words. */
const MAX_ALL_DETAILS_BYTES = 3_000;

/** A refusal never lowers the limit to less than this share: a refusal of less has other reasons. */
const MIN_LIMIT_SHARE = 0.5;

const STATUS = { running: 'in_progress', done: 'complete', failed: 'error' } as const;
const ELLIPSIS = '…';
const { size, reach } = UTF8_BYTES;

/** What these steps take of `STREAM_LIMIT` as task cards, in bytes. */
export function sizeOfCards(steps: Iterable<Step>): number {
  let sum = 0;
  for (const { title, details = '' } of steps) sum += size(title) + DETAILS_WEIGHT * size(details);
  return sum;
}

/**
 * The step shortened to what a task card can show beside the cards of `others`. `shown` is what its card shows already: Slack
 * appends details and never removes them, so details that do not begin with the shown ones are left out.
 */
export function fittedCard(step: Step, others: Iterable<Step>, shown?: Step): Step {
  const { details, ...rest } = step;
  const title = shortened(step.title, MAX_TITLE_BYTES);
  let room = MAX_ALL_DETAILS_BYTES;
  for (const other of others) if (other.id !== step.id) room -= size(other.details ?? '');
  const wanted = shortened(details ?? '', MAX_DETAILS_BYTES);
  const before = shown?.details ?? '';
  const after = wanted.startsWith(before) && size(wanted) <= room ? wanted : before;
  return { ...rest, title, ...(after === '' ? {} : { details: after }) };
}

/** The limit after Slack has refused to append to a stream that shows these words and cards. */
export function refusedLimit(limit: TextLimit, words: string, shown: ReadonlyMap<string, Step>): TextLimit {
  const shownSize = limit.unit.size(words) + sizeOfCards(shown.values());
  return { ...limit, max: Math.min(limit.max, Math.max(limit.max * MIN_LIMIT_SHARE, shownSize)) };
}

function shortened(text: string, maxBytes: number): string {
  if (size(text) <= maxBytes) return text;
  return text.slice(0, reach(text, 0, maxBytes - size(ELLIPSIS))) + ELLIPSIS;
}

/**
 * Which of the steps one message has room for as cards, beside words of this size and its present cards (`shown`). A step without
 * room for new details is shown without them. `left` are the steps without any room.
 */
export function cardsBeside(
  words: number,
  steps: readonly Step[],
  shown: ReadonlyMap<string, Step>,
  { max }: TextLimit,
): { readonly fitting: readonly Step[]; readonly left: readonly Step[] } {
  let cards: ReadonlyMap<string, Step> = shown;
  const fitting: Step[] = [];
  const left: Step[] = [];
  for (const step of steps) {
    const bare = { ...step, details: shown.get(step.id)?.details };
    const card = [step, bare].find(
      (candidate) => words + sizeOfCards(new Map([...cards, [candidate.id, candidate]]).values()) <= max,
    );
    if (card) cards = new Map([...cards, [card.id, card]]);
    if (card) fitting.push(card);
    else left.push(step);
  }
  return { fitting, left };
}

/** The steps whose cards do not show their last state. */
export const outdatedCards = (shown: ReadonlyMap<string, Step>, steps: readonly Step[]): Step[] =>
  steps.filter((step) => {
    const before = shown.get(step.id);
    return before === undefined || cardOf(before) !== cardOf(step);
  });

/**
 * The step as a chunk of a stream. Slack updates title and state of the card with the same id, and appends the details to those
 * that it has (`shown`; measured live: openclaw/openclaw#125168).
 */
export function taskChunk({ id, title, state, details = '' }: Step, shown?: Step): TaskUpdateChunk {
  const added = details.slice((shown?.details ?? '').length);
  return {
    type: 'task_update',
    id,
    title,
    status: STATUS[state],
    ...(added === '' ? {} : { details: added }),
  };
}
