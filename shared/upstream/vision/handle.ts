import { MalformedAnswerError } from '../errors.ts';
import { isObject, stringOf } from '../http/json.ts';
import { type JobState, stateOf } from './status.ts';

/** A video being made: what to keep in order to ask for it later. Plain data, so that it can be stored. */
export type JobHandle = {
  readonly requestId: string;
  /** As the service put it. */
  readonly status: string;
  readonly statusUrl: string;
  readonly responseUrl: string;
  readonly cancelUrl: string;
};

/** What the service said of a job. */
export type JobStatus = {
  readonly state: JobState;
  /** As the service put it; words that nobody knows are kept. */
  readonly status: string;
  readonly queuePosition?: number | undefined;
  /** Why it failed, in the service's words. */
  readonly error?: string | undefined;
};

/** Reads the answer to a submit. Throws MalformedAnswerError when a part is missing or a link leads elsewhere. */
export function handleOf(
  value: unknown,
  origins: ReadonlySet<string>,
  requestId: string | undefined,
): JobHandle {
  const text = (name: string): string => {
    const found = isObject(value) ? stringOf(value[name]) : undefined;
    if (found === undefined)
      throw new MalformedAnswerError(`The job's handle has no ${name}.`, { code: 'bad_handle', requestId });
    return found;
  };
  const handle = {
    requestId: text('request_id'),
    status: isObject(value) ? (stringOf(value['status']) ?? '') : '',
    statusUrl: text('status_url'),
    responseUrl: text('response_url'),
    cancelUrl: text('cancel_url'),
  };
  for (const url of [handle.statusUrl, handle.responseUrl, handle.cancelUrl]) trusted(url, origins);
  return handle;
}

/**
 * The link, if it leads to an origin that may see the key. A handle comes over the network and out of a table: it is
 * checked each time it is used.
 */
export function trusted(link: string, origins: ReadonlySet<string>): URL {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || !origins.has(url.origin) || url.username !== '' || url.password !== '') {
    throw new MalformedAnswerError('A link of the job leads to another address than the vision service.', {
      code: 'foreign_origin',
    });
  }
  return url;
}

/** Reads a status or a result. Its error may be a string, an object, or null. */
export function statusOf(value: unknown): JobStatus {
  if (!isObject(value)) return { state: 'unknown', status: '' };
  const status = stringOf(value['status']);
  const error = errorOf(value['error']);
  const position = value['queue_position'];
  return {
    state: stateOf(status, error !== undefined),
    status: status ?? '',
    queuePosition: typeof position === 'number' ? position : undefined,
    error,
  };
}

function errorOf(error: unknown): string | undefined {
  if (isObject(error)) return stringOf(error['message']) ?? stringOf(error['code']) ?? 'unknown';
  return typeof error === 'string' && error !== '' ? error.slice(0, 500) : undefined;
}
