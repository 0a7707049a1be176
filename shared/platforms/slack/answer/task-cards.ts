import type { TaskUpdateChunk } from '@slack/types';
import type { Step } from '../../ports/platform.ts';
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

/** Slack takes at least this share of what it is taken to: a refusal of less has other reasons. */
const MIN_LIMIT = 0.5;

const STATUS = { running: 'in_progress', done: 'complete', failed: 'error' } as const;
const ELLIPSIS = '…';
const { size, reach } = UTF8_BYTES;

/** What these steps take of `STREAM_LIMIT` as task cards. */
export function sizeOfCards(steps: Iterable<Step>): number {
  let sum = 0;
  for (const { title, details = '' } of steps) sum += size(title) + DETAILS_WEIGHT * size(details);
  return sum;
}

/**
 * A step as a task card may show it beside those of `others`. `shown` is what its card shows already: details can be added
 * to there and never be taken back, so that others than these are left out.
 */
export function fittedCard(step: Step, others: Iterable<Step>, shown?: Step): Step {
  const { details, ...rest } = step;
  const title = shortened(step.title, MAX_TITLE_BYTES);
  let room = MAX_ALL_DETAILS_BYTES;
  for (const other of others) if (other.id !== step.id) room -= size(other.details ?? '');
  const wanted = shortened(details ?? '', MAX_DETAILS_BYTES);
  const told = shown?.details ?? '';
  const kept = wanted.startsWith(told) && size(wanted) <= room ? wanted : told;
  return { ...rest, title, ...(kept === '' ? {} : { details: kept }) };
}

/** The limit after Slack has refused to add to a stream that shows these words and cards. */
export function refusedLimit(limit: TextLimit, words: string, shown: ReadonlyMap<string, Step>): TextLimit {
  const held = limit.unit.size(words) + sizeOfCards(shown.values());
  return { ...limit, max: Math.min(limit.max, Math.max(limit.max * MIN_LIMIT, held)) };
}

function shortened(text: string, maxBytes: number): string {
  if (size(text) <= maxBytes) return text;
  return text.slice(0, reach(text, 0, maxBytes - size(ELLIPSIS))) + ELLIPSIS;
}

/**
 * Which of the steps one message has room for as cards, beside words of that size and the cards that it has (`shown`): without
 * new details where there is no room for them. `left` are those that it has none for.
 */
export function cardsBeside(
  words: number,
  steps: readonly Step[],
  shown: ReadonlyMap<string, Step>,
  { max }: TextLimit,
): { readonly fitting: readonly Step[]; readonly left: readonly Step[] } {
  let all: ReadonlyMap<string, Step> = shown;
  const fitting: Step[] = [];
  const left: Step[] = [];
  for (const step of steps) {
    const bare = { ...step, details: shown.get(step.id)?.details };
    const card = [step, bare].find(
      (one) => words + sizeOfCards(new Map([...all, [one.id, one]]).values()) <= max,
    );
    if (card) all = new Map([...all, [card.id, card]]);
    if (card) fitting.push(card);
    else left.push(step);
  }
  return { fitting, left };
}

/** The cards of these steps that are not shown in their last state yet. */
export const outdatedCards = (shown: ReadonlyMap<string, Step>, steps: readonly Step[]): Step[] =>
  steps.filter((step) => {
    const before = shown.get(step.id);
    return before === undefined || cardOf(before) !== cardOf(step);
  });

/**
 * The step as a chunk of a stream. A card with the same id gets the new title and state; details are added to those that
 * `shown` has, since Slack appends them (measured live: openclaw/openclaw#125168).
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
