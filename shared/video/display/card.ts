import type { Card, CardPart, CardControl } from '../../domain/index.ts';
import { describeMasked } from '../../chat/index.ts';
import { isTerminal, type Job } from '../jobs/index.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';
import { getStateTitle, getJobLocale, formatPrice, formatElapsed, formatMediaText } from './labels.ts';

/** Builds the card of a job with its status and buttons. Deterministic. */
export function createJobCard(job: Job): Card {
  const { state, prompt, model, place, reason, statusReadAt, submittedAt } = job;
  const locale = getJobLocale(job);
  const fields = [
    { name: localize(locale, 'video.field.model'), value: model },
    { name: localize(locale, 'video.field.price'), value: formatPrice(job.price, locale) },
    ...(state === 'queued' && place !== undefined
      ? [{ name: localize(locale, 'video.field.before'), value: String(place) }]
      : []),
    ...(IN_SERVICE.has(state) && statusReadAt !== undefined && submittedAt !== undefined
      ? [
          {
            name: localize(locale, 'video.field.elapsed'),
            value: formatElapsed(statusReadAt - submittedAt, locale),
            at: statusReadAt,
          },
        ]
      : []),
  ];
  const parts: CardPart[] = [
    ...(prompt === '' ? [] : [{ kind: 'text' as const, markdown: quote(prompt).trimEnd() }]),
    { kind: 'fields', fields },
    ...(reason === undefined ? [] : [{ kind: 'text' as const, markdown: reason }]),
    ...buildNotes(job, locale),
    ...(job.masked ? [{ kind: 'note' as const, markdown: describeMasked(job.masked, locale) }] : []),
    { kind: 'controls', controls: buildControls(job, locale) },
  ];
  return { title: getStateTitle(job, state, locale), tone: TONES[state], parts };
}

const TONES: Readonly<Record<Job['state'], Card['tone']>> = {
  proposed: undefined,
  requested: 'working',
  submitted: 'working',
  queued: 'working',
  running: 'working',
  delivering: 'working',
  delivered: 'good',
  failed: 'bad',
  cancelled: undefined,
  expired: 'bad',
};

/** The states in which the service reports a status. */
const IN_SERVICE: ReadonlySet<Job['state']> = new Set(['submitted', 'queued', 'running']);

/** Notes about what delays a job. */
function buildNotes(job: Job, locale: Locale): CardPart[] {
  const { state, isRateLimited, serviceProblem } = job;
  if (isTerminal(state) || state === 'delivering') return [];
  const notes = [
    ...(isRateLimited === true ? [formatMediaText(job, 'waits', locale)] : []),
    ...(serviceProblem === undefined ? [] : [formatMediaText(job, `problem.${serviceProblem}`, locale)]),
  ];
  return notes.map((markdown) => ({ kind: 'note', markdown }));
}

/** Returns the text above the video. */
export function formatVideoCaption(job: Job, now: number): string {
  const { prompt, model, submittedAt = job.createdAt } = job;
  const locale = getJobLocale(job);
  const facts = {
    model,
    price: formatPrice(job.price, locale),
    took: formatElapsed(now - submittedAt, locale),
  };
  return `${quote(prompt)}_${localize(locale, 'video.caption', facts)}_`;
}

/** How long the link of a card is valid, how long the video is stored, and why it could not be uploaded. */
type LinkFacts = { readonly hours: number; readonly days: number; readonly why?: TextMessage };

/** Builds the card with a presigned URL for a video that could not be uploaded. */
export function createLinkCard(job: Job, url: string, { hours, days, why }: LinkFacts): Card {
  const locale = getJobLocale(job);
  const renew: CardControl = {
    kind: 'button',
    label: localize(locale, 'video.button.renew'),
    action: action('link', job),
  };
  return {
    title: formatMediaText(job, 'large.title', locale),
    parts: [
      {
        kind: 'text',
        markdown: `${quote(job.prompt)}[${formatMediaText(job, 'large.watch', locale)}](${url})`,
      },
      ...(why === undefined ? [] : [{ kind: 'note' as const, markdown: localize(locale, ...why) }]),
      { kind: 'note', markdown: formatMediaText(job, 'large.note', locale, { hours, days }) },
      { kind: 'controls', controls: [renew] },
    ],
  };
}

function listLine(job: Job, locale: Locale): string {
  const prompt = job.prompt.replaceAll(/\s+/gu, ' ').slice(0, 80).toWellFormed();
  return `- **${getStateTitle(job, job.state, locale)}**: ${prompt} _(${job.model}, ${formatPrice(job.price, locale)})_`;
}

/** Builds the list of a person's videos. */
export function createJobListCard(jobs: readonly Job[], locale: Locale): Card {
  const lines = jobs.map((job) => listLine(job, locale));
  return {
    title: localize(locale, 'video.list.title'),
    parts: [
      { kind: 'text', markdown: lines.length === 0 ? localize(locale, 'video.list.none') : lines.join('\n') },
    ],
  };
}

function buildControls(job: Job, locale: Locale): CardControl[] {
  const { state } = job;
  const label = (name: 'cancel' | 'change' | 'decline') => localize(locale, `video.button.${name}`);
  const change: CardControl = {
    kind: 'button',
    label: label('change'),
    action: action('change-form', job),
  };
  const amount = { price: formatPrice(job.price, locale) };
  if (state === 'proposed') {
    const confirmLabel = localize(locale, 'video.button.make', amount);
    return [
      { kind: 'button', label: confirmLabel, style: 'primary', action: action('make', job) },
      change,
      { kind: 'button', label: label('decline'), action: action('cancel', job) },
    ];
  }
  if (state === 'delivering') return [];
  if (!isTerminal(state)) {
    return [{ kind: 'button', label: label('cancel'), style: 'danger', action: action('cancel', job) }];
  }
  const repeatLabel = localize(locale, 'video.button.again', amount);
  return [{ kind: 'button', label: repeatLabel, action: action('again', job) }, change];
}

const action = (name: string, { id }: Job) => ({ name: `video.${name}`, args: [id] });

/** Quotes a prompt, with a line break; empty if it was erased with its author. */
const quote = (text: string): string =>
  text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `> ${line}\n`)
        .join('');
