import type { Card, CardPart, CardControl } from '../domain/index.ts';
import { isTerminal, type Job } from './jobs/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { heading, localeIn, price, took } from './labels.ts';

/** How far a job is, with what can be done about it. The same job gives the same card. */
export function jobCard(job: Job): Card {
  const { state, prompt, model, place, reason, seenAt, submittedAt } = job;
  const locale = localeIn(job);
  const fields = [
    { name: localize(locale, 'video.field.model'), value: model },
    { name: localize(locale, 'video.field.price'), value: price(job.price, locale) },
    ...(state === 'queued' && place !== undefined
      ? [{ name: localize(locale, 'video.field.before'), value: String(place) }]
      : []),
    ...(IN_SERVICE.has(state) && seenAt !== undefined && submittedAt !== undefined
      ? [
          {
            name: localize(locale, 'video.field.elapsed'),
            value: took(seenAt - submittedAt, locale),
            at: seenAt,
          },
        ]
      : []),
  ];
  const parts: CardPart[] = [
    { kind: 'text', markdown: quote(prompt) },
    { kind: 'fields', fields },
    ...(reason === undefined ? [] : [{ kind: 'text' as const, markdown: reason }]),
    ...notesOf(job, locale),
    { kind: 'controls', controls: controlsOf(job, locale) },
  ];
  return { title: heading(state, locale), tone: TONES[state], parts };
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

/** The service has taken them, and says from time to time how far they are. */
const IN_SERVICE: ReadonlySet<Job['state']> = new Set(['submitted', 'queued', 'running']);

/** What holds a job up that is not over. */
function notesOf({ state, waits, trouble }: Job, locale: Locale): CardPart[] {
  if (isTerminal(state) || state === 'delivering') return [];
  const notes = [
    ...(waits === true ? [localize(locale, 'video.waits')] : []),
    ...(trouble === undefined ? [] : [localize(locale, `video.trouble.${trouble}`)]),
  ];
  return notes.map((markdown) => ({ kind: 'note', markdown }));
}

/** What stands above the video. */
export function captionOf(job: Job, now: number): string {
  const { prompt, model, submittedAt = job.createdAt } = job;
  const locale = localeIn(job);
  const facts = { model, price: price(job.price, locale), took: took(now - submittedAt, locale) };
  return `${quote(prompt)}\n_${localize(locale, 'video.caption', facts)}_`;
}

/** The video where it is too large to be put into the thread: an address that is good for a while. */
export function linkCard(job: Job, address: string, hours: number, days: number): Card {
  const locale = localeIn(job);
  const renew: CardControl = {
    kind: 'button',
    label: localize(locale, 'video.button.renew'),
    action: action('link', job),
  };
  return {
    title: localize(locale, 'video.large.title'),
    parts: [
      {
        kind: 'text',
        markdown: `${quote(job.prompt)}\n[${localize(locale, 'video.large.watch')}](${address})`,
      },
      { kind: 'note', markdown: localize(locale, 'video.large.note', { hours, days }) },
      { kind: 'controls', controls: [renew] },
    ],
  };
}

function listed(job: Job, locale: Locale): string {
  const prompt = job.prompt.replaceAll(/\s+/gu, ' ').slice(0, 80).toWellFormed();
  return `- **${heading(job.state, locale)}**: ${prompt} _(${job.model}, ${price(job.price, locale)})_`;
}

/** A person's videos in a list. What was only proposed is none. */
export function listCard(jobs: readonly Job[], locale: Locale): Card {
  const lines = jobs.filter(({ state }) => state !== 'proposed').map((job) => listed(job, locale));
  return {
    title: localize(locale, 'video.list.title'),
    parts: [
      { kind: 'text', markdown: lines.length === 0 ? localize(locale, 'video.list.none') : lines.join('\n') },
    ],
  };
}

function controlsOf(job: Job, locale: Locale): CardControl[] {
  const { state } = job;
  const label = (name: 'cancel' | 'change' | 'decline') => localize(locale, `video.button.${name}`);
  const change: CardControl = { kind: 'button', label: label('change'), action: action('change-form', job) };
  const amount = { price: price(job.price, locale) };
  if (state === 'proposed') {
    const make = localize(locale, 'video.button.make', amount);
    return [
      { kind: 'button', label: make, style: 'primary', action: action('make', job) },
      change,
      { kind: 'button', label: label('decline'), action: action('cancel', job) },
    ];
  }
  if (state === 'delivering') return [];
  if (!isTerminal(state)) {
    return [{ kind: 'button', label: label('cancel'), style: 'danger', action: action('cancel', job) }];
  }
  const again = localize(locale, 'video.button.again', amount);
  return [{ kind: 'button', label: again, action: action('again', job) }, change];
}

const action = (deed: string, { id }: Job) => ({ name: `video.${deed}`, args: [id] });

const quote = (words: string): string =>
  words
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
