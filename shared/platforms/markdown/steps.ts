import type { Step } from '../ports/platform.ts';
import { sanitize } from './sanitizer.ts';

const TITLE = 250;
const DETAILS = 1_500;
const SHORT = 80;

const SIGN = { running: '…', done: '✓', failed: '✗' } as const;

/** The step as a platform may be told of it: short, and without anything that it would obey. */
export function cleanStep({ id, title, state, details, file }: Step): Step {
  const shown = cut(sanitize(title).replace(/\s+/g, ' ').trim(), TITLE) || '…';
  const more = details === undefined ? undefined : cut(sanitize(details).trim(), DETAILS);
  return {
    id: cut(id, TITLE),
    title: shown,
    state,
    ...(more ? { details: more } : {}),
    ...(file && { file }),
  };
}

/** A line of small print as a platform may be told of it: short, and without anything that it would obey. */
export const footerText = (words: string): string =>
  cut(sanitize(words).replaceAll(/\s+/g, ' ').trim(), TITLE);

/** All that a card shows, to tell one state of it from another. */
export function cardOf({ title, state, details }: Step): string {
  return JSON.stringify([title, state, details]);
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
