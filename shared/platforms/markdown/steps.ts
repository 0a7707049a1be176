import { truncateText } from '../../utils/index.ts';
import type { Step } from '../ports/index.ts';
import { sanitize } from './sanitizer.ts';

const MAX_TITLE_LENGTH = 250;
const MAX_DETAILS_LENGTH = 1_500;
/** Longer details are not shown behind the title. */
const MAX_INLINE_DETAILS_LENGTH = 80;

const SIGN = { running: '…', done: '✓', failed: '✗' } as const;

/** The step shortened and sanitized for a platform. */
export function cleanStep({ id, title, state, details, file }: Step): Step {
  const shown = truncateText(sanitize(title).replace(/\s+/g, ' ').trim(), MAX_TITLE_LENGTH) || '…';
  const more = details === undefined ? undefined : truncateText(sanitize(details).trim(), MAX_DETAILS_LENGTH);
  return {
    id: truncateText(id, MAX_TITLE_LENGTH),
    title: shown,
    state,
    ...(more ? { details: more } : {}),
    ...(file && { file }),
  };
}

/** A line of small print, shortened and sanitized for a platform. */
export const footerText = (words: string): string =>
  truncateText(sanitize(words).replaceAll(/\s+/g, ' ').trim(), MAX_TITLE_LENGTH);

/** Identifies what the card of a step shows. */
export function cardOf({ title, state, details }: Step): string {
  return JSON.stringify([title, state, details]);
}

/** The step as one line, for example "✓ Thought for 9 s · 640 tokens". Long details are left out. */
export function inWords({ title, state, details = '' }: Step): string {
  const short = details !== '' && details.length <= MAX_INLINE_DETAILS_LENGTH && !details.includes('\n');
  return `${SIGN[state]} ${title}${short ? ` · ${details}` : ''}`;
}

/** The final states of all steps: `last`, behind the known steps that it does not have. */
export function lastSteps(known: Iterable<Step>, last: readonly Step[] | undefined): Step[] {
  const final = new Map((last ?? []).map((step) => [step.id, cleanStep(step)]));
  const rest = [...known].filter(({ id }) => !final.has(id));
  const state = last ? 'done' : 'failed';
  const ended = rest.map((step) => (step.state === 'running' ? { ...step, state } : step)) satisfies Step[];
  return [...ended, ...final.values()];
}
