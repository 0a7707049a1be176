import type { FailureFacts } from '../../domain/index.ts';
import { failureDetails } from '../../chat/index.ts';
import { getOperation, type Job, type JobState, makesPicture } from '../jobs/index.ts';
import { type Locale, toLocale, localize, type TextArgs, type TextKey, isText } from '../../i18n/index.ts';
import { formatDollars } from '../../utils/index.ts';

/** Why a job ended without a video. */
export type FailureReason =
  | 'not-a-picture'
  | 'damaged'
  | 'too-large'
  | 'too-small'
  | 'not-taken'
  | 'refused'
  | 'no-handle'
  | 'no-video'
  | 'not-a-video'
  | 'video-too-large'
  | 'unusable'
  | 'no-thread'
  | 'lost'
  | 'forgotten'
  | 'expired'
  | 'failed'
  | 'cancelled-there';

/** Returns the locale of a job's card. */
export const getJobLocale = (job: Pick<Job, 'locale'>): Locale => toLocale(job.locale);

/** The keys of texts about videos, without their area. */
type MediaText = TextKey extends infer K ? (K extends `video.${infer Name}` ? Name : never) : never;

/** Adds what the service says about a failure below its reason. */
export function withDetails(reason: string, facts: FailureFacts, locale: Locale): string {
  const details = failureDetails(facts, locale);
  return details === undefined ? reason : `${reason}\n${details}`;
}

/** Localizes a text about the result of a job: the text for pictures, if it makes a picture and there is one. */
export function formatMediaText(
  job: Pick<Job, 'operation'>,
  name: MediaText,
  locale: Locale,
  args?: TextArgs,
): string {
  const key = `picture.${name}`;
  return localize(locale, makesPicture(getOperation(job)) && isText(key) ? key : `video.${name}`, args);
}

export const formatFailureReason = (job: Pick<Job, 'locale' | 'operation'>, reason: FailureReason): string =>
  formatMediaText(job, `because.${reason}`, getJobLocale(job));

export const getStateTitle = (job: Pick<Job, 'operation'>, state: JobState, locale: Locale): string =>
  formatMediaText(job, `state.${state}`, locale);

/** Formats a price in US dollars (decimal string). */
export function formatPrice(dollars: string | undefined, locale: Locale): string {
  if (dollars === undefined) return localize(locale, 'video.price.unknown');
  return localize(locale, 'video.price.about', { amount: formatDollars(Number(dollars), locale) });
}

/** Formats a duration in ms. */
export function formatElapsed(ms: number, locale: Locale): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return localize(locale, 'video.took.seconds', { seconds });
  return localize(locale, 'video.took.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}
