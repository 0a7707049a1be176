import type { Step } from '../platform.ts';
import type { Json } from './cells.ts';
import { inert } from './markup.ts';

const TITLE = 250;
const DETAILS = 1_500;
/** Slack's limit of a context block. */
const ELEMENTS = 10;
const SHORT = 80;

const STATUS = { running: 'in_progress', done: 'complete', failed: 'error' } as const;
const SIGN = { running: '…', done: '✓', failed: '✗' } as const;

/** The step as Slack may be told of it: short, and without anything that Slack would obey. */
export function cleanStep({ id, title, state, details }: Step): Step {
  const shown = cut(inert(title).replace(/\s+/g, ' ').trim(), TITLE) || '…';
  const more = details === undefined ? undefined : cut(inert(details).trim(), DETAILS);
  return { id: cut(id, TITLE), title: shown, state, ...(more ? { details: more } : {}) };
}

/** A step as a task card of a stream; a card with the same id takes its place. */
export function taskChunk({ id, title, state, details }: Step): Json {
  return { type: 'task_update', id, title, status: STATUS[state], ...(details ? { details } : {}) };
}

/** All that a card shows, to tell one state of it from another. */
export function cardOf({ title, state, details }: Step): string {
  return JSON.stringify([title, state, details]);
}

/** The steps in a line above the text, where there are no task cards: one element each. */
export function stepsBlock(steps: readonly Step[]): Json[] {
  if (steps.length === 0) return [];
  const most = steps.length > ELEMENTS ? ELEMENTS - 1 : ELEMENTS;
  const words = steps.slice(0, most).map(inWords);
  if (steps.length > most) words.push(`and ${steps.length - most} more`);
  return [{ type: 'context', elements: words.map((text) => ({ type: 'plain_text', text, emoji: false })) }];
}

/** Such as "✓ Thought for 9 s · 640 tokens". Details that are more than a few words are left out. */
export function inWords({ title, state, details = '' }: Step): string {
  const short = details !== '' && details.length <= SHORT && !details.includes('\n');
  return `${SIGN[state]} ${title}${short ? ` · ${details}` : ''}`;
}

/** The steps that end with the answer: what is said of them at last, and before that of others. */
export function lastSteps(known: Iterable<Step>, last: readonly Step[] | undefined): Step[] {
  const said = new Map((last ?? []).map((step) => [step.id, cleanStep(step)]));
  const rest = [...known].filter(({ id }) => !said.has(id));
  const state = last ? 'done' : 'failed';
  const ended = rest.map((step) => (step.state === 'running' ? { ...step, state } : step)) satisfies Step[];
  return [...ended, ...said.values()];
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
