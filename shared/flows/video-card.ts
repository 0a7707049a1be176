import type { Card, CardPart, Control } from '../conversation/index.ts';
import { isOver, type Job } from '../jobs/index.ts';
import { HEADINGS, price, took } from './video-words.ts';

/** How far a job is, with what can be done about it. The same job gives the same card. */
export function jobCard(job: Job): Card {
  const { state, prompt, model, place, reason } = job;
  const fields = [
    { name: 'Model', value: model },
    { name: 'Price', value: price(job.price) },
    ...(state === 'queued' && place !== undefined ? [{ name: 'Before it', value: String(place) }] : []),
  ];
  const parts: CardPart[] = [
    { kind: 'text', markdown: quote(prompt) },
    { kind: 'fields', fields },
    ...(reason === undefined ? [] : [{ kind: 'text' as const, markdown: reason }]),
    { kind: 'controls', controls: controlsOf(job) },
  ];
  const tone = state === 'delivered' ? 'good' : state === 'failed' || state === 'expired' ? 'bad' : 'working';
  return { title: HEADINGS[state], tone: state === 'cancelled' ? undefined : tone, parts };
}

/** What stands above the video. */
export function captionOf(job: Job, now: number): string {
  const { prompt, model, submittedAt = job.createdAt, by } = job;
  return `<@${by.user}> ${quote(prompt)}\n_${model}, ${price(job.price)}, made in ${took(now - submittedAt)}_`;
}

/** The video where it is too large to be put into the thread: an address that is good for a while. */
export function linkCard(job: Job, address: string, hours: number, days: number): Card {
  const renew: Control = { kind: 'button', label: 'Renew the link', action: action('link', job) };
  return {
    title: 'The video is too large for this place',
    parts: [
      { kind: 'text', markdown: `${quote(job.prompt)}\n[Watch or download it](${address})` },
      {
        kind: 'note',
        markdown: `The link is good for ${hours} h, and can be renewed for as long as the video is kept: ${days} days.`,
      },
      { kind: 'controls', controls: [renew] },
    ],
  };
}

function listed(job: Job): string {
  const prompt = job.prompt.replaceAll(/\s+/gu, ' ').slice(0, 80).toWellFormed();
  return `- **${HEADINGS[job.state]}**: ${prompt} _(${job.model}, ${price(job.price)})_`;
}

/** A person's videos in a list. */
export function listCard(jobs: readonly Job[], none: string): Card {
  return {
    title: 'Your videos',
    parts: [{ kind: 'text', markdown: jobs.length === 0 ? none : jobs.map(listed).join('\n') }],
  };
}

function controlsOf(job: Job): Control[] {
  const { state } = job;
  if (state === 'delivering') return [];
  if (!isOver(state)) {
    return [{ kind: 'button', label: 'Cancel', style: 'danger', action: action('cancel', job) }];
  }
  const dollars = job.price === undefined ? '' : ` (${price(job.price)})`;
  return [
    { kind: 'button', label: `Again${dollars}`, action: action('again', job) },
    { kind: 'button', label: 'Change prompt', action: action('change', job) },
  ];
}

const action = (deed: string, { id }: Job) => ({ name: `video.${deed}`, args: [id] });

const quote = (words: string): string =>
  words
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
