import type { Job, JobState } from './jobs/index.ts';
import { type Locale, toLocale, localize } from '../i18n/index.ts';

/** Why a job ended without a video. */
export type Reason =
  | 'not-a-picture'
  | 'damaged'
  | 'too-large'
  | 'too-small'
  | 'not-taken'
  | 'refused'
  | 'no-video'
  | 'not-a-video'
  | 'video-too-large'
  | 'no-thread'
  | 'lost'
  | 'forgotten'
  | 'expired'
  | 'failed'
  | 'cancelled-there';

/** The language of a job's card. */
export const localeIn = (job: Pick<Job, 'locale'>): Locale => toLocale(job.locale);

export const reasonText = (job: Pick<Job, 'locale'>, reason: Reason): string =>
  localize(localeIn(job), `video.because.${reason}`);

export const heading = (state: JobState, locale: Locale): string => localize(locale, `video.state.${state}`);

/** A price in US dollars, as a decimal string, for people. */
export function price(dollars: string | undefined, locale: Locale): string {
  if (dollars === undefined) return localize(locale, 'video.price.unknown');
  return localize(locale, 'video.price.about', { amount: `$${dollars}` });
}

/** How long something took, in ms, for people. */
export function took(ms: number, locale: Locale): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return localize(locale, 'video.took.seconds', { seconds });
  return localize(locale, 'video.took.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}
