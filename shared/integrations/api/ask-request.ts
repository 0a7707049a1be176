import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { channelId, messageId, parsePlatformJson } from '../../domain/index.ts';
import { ApiError } from './api-error.ts';

/** The longest question, in characters. */
const MAX_QUESTION_CHARS = 40_000;
/** How long a request without a stream waits for its answer, and the longest wait that it can ask for (s). */
const DEFAULT_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 120;

/** A Slack timestamp or a snowflake. */
const messageForm = v.pipe(
  v.string(),
  v.regex(/^(?:\d{10}\.\d{6}|\d{17,20})$/u, 'is not the id of a conversation or message'),
  v.transform(messageId),
);

const bodySchema = v.strictObject({
  question: v.pipe(
    v.string(),
    v.maxLength(MAX_QUESTION_CHARS, `has more than ${MAX_QUESTION_CHARS} characters`),
    v.check((text) => text.trim() !== '', 'is empty'),
  ),
  model: v.optional(
    v.pipe(v.string(), v.minLength(1, 'is empty'), v.maxLength(256, 'has more than 256 characters')),
  ),
  conversation: v.optional(messageForm),
  channel: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,32}$/u, 'is not the id of a channel'), v.transform(channelId)),
  ),
  thread: v.optional(messageForm),
  stream: v.optional(v.boolean(), false),
  wait: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0, 'is less than 0'),
      v.maxValue(MAX_WAIT_SECONDS, `is more than ${MAX_WAIT_SECONDS}`),
    ),
    DEFAULT_WAIT_SECONDS,
  ),
});

/** What an integration asks, and where. */
export type AskBody = v.InferOutput<typeof bodySchema>;

const NO_OBJECT = 'The body has to be a JSON object.';

/**
 * Reads the body of `POST /v1/ask`. Characters that the queue rejects are removed, such as half of an emoji at the end of a text that a program has cut. Throws ApiError,
 * which names the field.
 */
export function parseAskBody(bytes: Uint8Array): AskBody {
  let parsed: unknown;
  try {
    parsed = parsePlatformJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiError('invalid_request', { message: 'The body is not JSON in UTF-8.' });
  }
  if (Array.isArray(parsed)) throw new ApiError('invalid_request', { message: NO_OBJECT });
  const result = v.safeParse(bodySchema, parsed);
  if (!result.success) throw describeIssue(result.issues.find(isUnknownField) ?? result.issues[0]);
  const { thread, channel, conversation } = result.output;
  if (thread !== undefined && channel === undefined)
    throw new ApiError('invalid_request', { param: 'thread', message: 'thread needs a channel.' });
  if (conversation !== undefined && channel !== undefined)
    throw new ApiError('invalid_request', {
      param: 'conversation',
      message: 'conversation cannot be combined with channel; use thread there.',
    });
  return result.output;
}

/** A misspelled field is named first: that it is missing follows from that. */
const isUnknownField = (issue: v.BaseIssue<unknown>): boolean =>
  issue.type === 'strict_object' && issue.expected === 'never';

function describeIssue(issue: v.BaseIssue<unknown>): ApiError {
  const param = v.getDotPath(issue) ?? undefined;
  return new ApiError('invalid_request', {
    param,
    message: param === undefined ? NO_OBJECT : `${param} ${describeReason(issue)}.`,
  });
}

function describeReason(issue: v.BaseIssue<unknown>): string {
  if (isUnknownField(issue)) return 'is not a known field';
  if (issue.type === 'strict_object') return 'is required';
  return issue.kind === 'validation' ? issue.message : `has to be ${describeType(issue)}`;
}

/** Does not quote what was sent. */
const describeType = ({ expected }: v.BaseIssue<unknown>): string =>
  expected === null || expected === 'Object'
    ? 'a JSON object'
    : expected.replace(/^\((.*) \| undefined\)$/u, '$1');

/** The longest idempotency key. */
const MAX_IDEMPOTENCY_KEY = 255;

/** Returns the id of a request: the same for the same idempotency key of an integration. `random`: 16 random bytes. */
export function createRequestId(
  integration: string,
  idempotencyKey: string | undefined,
  random: () => Uint8Array,
): string {
  if (idempotencyKey === undefined) return `ask_${Buffer.from(random()).toString('hex')}`;
  if (idempotencyKey.length === 0 || idempotencyKey.length > MAX_IDEMPOTENCY_KEY)
    throw new ApiError('invalid_request', { message: 'Idempotency-Key has 1 to 255 characters.' });
  const hash = createHash('sha256')
    .update(JSON.stringify([integration, idempotencyKey]))
    .digest('hex');
  return `ask_${hash.slice(0, 32)}`;
}

/** Whether a text is the id of a request. */
export const isRequestId = (id: string): boolean => /^ask_[0-9a-f]{32}$/u.test(id);

/** Identifies what a request asks. How the answer is sent, by a stream or after a wait, does not matter. */
export const hashBody = ({ question, model, conversation, channel, thread }: AskBody): string =>
  createHash('sha256')
    .update(JSON.stringify([question, model, conversation, channel, thread]))
    .digest('hex');
