import type { State } from '../state.ts';
import { resultBody, statusBody, statusOf } from './jobs.ts';
import type { Delivery, Job } from './types.ts';

/** Waits between attempts in ms; then it gives up. */
const RETRIES = [1_000, 5_000, 30_000] as const;

const LATE_MS = 10 * 60_000;

/** The deliveries of a job, as the settings require. */
export function expect(state: State, job: Job): void {
  const { webhookCopies, webhookSent, webhookForged } = state.settings;
  const url = job.webhookUrl ?? '';
  const deliver = (to: string, dueAt: number): void =>
    void state.deliveries.push({
      jobId: job.id,
      url: to,
      body: '',
      dueAt,
      attempts: 0,
      answers: [],
      done: false,
    });
  const dueAt = { done: job.endsAt, early: job.submittedAt, late: job.endsAt + LATE_MS }[
    webhookSent === 'never' ? 'done' : webhookSent
  ];
  const copies = webhookSent === 'never' ? 0 : webhookCopies;
  for (let copy = 0; copy < copies; copy += 1) deliver(url, dueAt);
  for (let guess = 0; guess < webhookForged; guess += 1) deliver(forged(url, guess), job.submittedAt);
}

/** The same URL with another last part of the same length. */
function forged(url: string, guess: number): string {
  const at = url.lastIndexOf('/') + 1;
  return url.slice(0, at) + String(guess).padStart(url.length - at, '0');
}

/** The due deliveries, each with its body. */
export function due(state: State): Delivery[] {
  const ripe = state.deliveries.filter(({ done, dueAt }) => !done && dueAt <= state.now());
  for (const delivery of ripe) {
    const job = state.jobs.get(delivery.jobId);
    if (job !== undefined) delivery.body = payload(state, job);
  }
  return ripe;
}

/** A cancelled job ends now, so its delivery is due now too. */
export function hasten(state: State, job: Job): void {
  for (const delivery of state.deliveries) {
    if (delivery.jobId === job.id && delivery.attempts === 0)
      delivery.dueAt = Math.min(delivery.dueAt, state.now());
  }
}

/** ms until the next delivery is due; undefined if none is left. */
export function nextDue(state: State): number | undefined {
  const open = state.deliveries.filter(({ done }) => !done);
  if (open.length === 0) return undefined;
  return Math.max(0, Math.min(...open.map(({ dueAt }) => dueAt)) - state.now());
}

/** Records the outcome of an attempt: 2xx ends it, anything else is retried three times. */
export function attempted(state: State, delivery: Delivery, status: number): void {
  delivery.answers.push(status);
  const wait = RETRIES[delivery.attempts];
  delivery.attempts += 1;
  if ((status >= 200 && status < 300) || wait === undefined) delivery.done = true;
  else delivery.dueAt = state.now() + wait;
}

function payload(state: State, job: Job): string {
  const { webhook } = state.settings;
  if (webhook === 'empty') return '';
  if (webhook === 'status') return JSON.stringify(statusBody(state, job));
  const { output, error } = resultBody(state, job);
  const ok = statusOf(job, state.now()) === 'COMPLETED';
  return JSON.stringify({
    request_id: job.id,
    gateway_request_id: job.id,
    status: ok ? 'OK' : 'ERROR',
    payload: output,
    ...(ok ? {} : { error }),
  });
}
