import { MalformedAnswerError } from '../errors.ts';
import { isObject, asNonEmptyString } from '../http/json.ts';
import { type JobState, toJobState } from './job-state.ts';

/** A video job, to be stored and queried later. Plain data. */
export type JobHandle = {
  readonly requestId: string;
  /** As the service sends it; empty if it sends none. */
  readonly status: string;
  readonly statusUrl: string;
  readonly responseUrl: string;
  readonly cancelUrl: string;
};

/** The status of a job. */
export type JobStatus = {
  readonly state: JobState;
  /** As the service sends it, unknown words included. */
  readonly status: string;
  readonly queuePosition?: number | undefined;
  /** Why the job failed, in the service's words. */
  readonly error?: string | undefined;
};

/**
 * Parses the response to a submit. Throws MalformedAnswerError when a field is missing or a link has a foreign origin. The status may
 * be missing: the job was accepted and is billed, and its status is queried anyway.
 */
export function parseJobHandle(
  value: unknown,
  origins: ReadonlySet<string>,
  requestId: string | undefined,
): JobHandle {
  const readField = (name: string): string => {
    const field = isObject(value) ? asNonEmptyString(value[name]) : undefined;
    if (field === undefined)
      throw new MalformedAnswerError(`The job's handle has no ${name}.`, { code: 'bad_handle', requestId });
    return field;
  };
  const handle = {
    requestId: readField('request_id'),
    status: isObject(value) ? (asNonEmptyString(value['status']) ?? '') : '',
    statusUrl: readField('status_url'),
    responseUrl: readField('response_url'),
    cancelUrl: readField('cancel_url'),
  };
  for (const url of [handle.statusUrl, handle.responseUrl, handle.cancelUrl]) requireTrustedUrl(url, origins);
  return handle;
}

/**
 * Parses a job's link. Throws unless its origin may receive the API key. Handles come from the network and from storage,
 * so links are checked at each use.
 */
export function requireTrustedUrl(link: string, origins: ReadonlySet<string>): URL {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || !origins.has(url.origin) || url.username !== '' || url.password !== '') {
    throw new MalformedAnswerError('A link of the job leads to a foreign origin.', {
      code: 'foreign_origin',
    });
  }
  return url;
}

/** Parses a status or a result. Its error may be a string, an object, or null. */
export function parseJobStatus(value: unknown): JobStatus {
  if (!isObject(value)) return { state: 'unknown', status: '' };
  const status = asNonEmptyString(value['status']);
  const error = parseErrorMessage(value['error']);
  const position = value['queue_position'];
  return {
    state: toJobState(status, error !== undefined),
    status: status ?? '',
    queuePosition: typeof position === 'number' ? position : undefined,
    error,
  };
}

function parseErrorMessage(error: unknown): string | undefined {
  if (isObject(error))
    return asNonEmptyString(error['message']) ?? asNonEmptyString(error['code']) ?? 'unknown';
  return typeof error === 'string' && error !== '' ? error.slice(0, 500) : undefined;
}
