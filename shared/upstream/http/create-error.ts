import {
  AtCapacityError,
  AuthError,
  BadRequestError,
  type ErrorFacts,
  MalformedAnswerError,
  NotFoundError,
  QuotaError,
  RateLimitedError,
  ServerError,
  TooLargeError,
  UnknownModelError,
  type UpstreamError,
} from '../errors.ts';
import { type ErrorBody, parseErrorBody, parseErrorJson } from './error-body.ts';
import { type Headers, getRequestId } from './headers.ts';
import type { JsonObject } from './json.ts';
import { parseRetryAfter, parseWait } from './rate-limit-headers.ts';

/** Error bodies may quote the request, so messages are shortened. */
const MAX_MESSAGE_CHARS = 500;
/** Messages of servers about an unknown path. */
const WRONG_PATH_MESSAGE =
  /\b(?:url|uri|path|route|page|endpoint|resource|cannot post|nothing (?:is )?at)\b|^not found\.?$/iu;
/** Statuses that mean the same, whoever sends them. */
const MEANINGFUL_STATUSES: ReadonlySet<number> = new Set([
  401, 402, 404, 408, 409, 413, 429, 500, 502, 503, 504,
]);
/**
 * How servers without the code `context_length_exceeded` say it: vLLM, SGLang, llama.cpp, TGI, xAI, Moonshot, DashScope, Zhipu and
 * gateways in front of other models.
 */
const CONTEXT_MESSAGE =
  /\bcontext (?:length|size|window)\b|\b(?:prompt|input) is too long\b|max_new_tokens\W{0,3} must be|\binput token count\b|\bmaximum prompt length\b|\bmodel token limit\b|\brange of input length\b|\bprompt exceeds max length\b/iu;
const CONTEXT_CODE = 'context_length_exceeded';
const CONTEXT_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);
/** A prompt above the limit of tokens per minute: OpenAI (429), Groq (413). It never passes, however long one waits. */
const ABOVE_LIMIT_MESSAGE = /\brequest too large\b.*\btokens?\b/isu;
const ABOVE_LIMIT_STATUSES: ReadonlySet<number> = new Set([413, 429]);
const QUOTA_MESSAGE = /quota|credit|billing|insufficient[_ ](?:funds|balance)|payment/iu;
/** A limit of a short time, which some servers call a quota. */
const SHORT_LIMIT_MESSAGE = /\bper (?:second|minute)\b/iu;
/** How Gemini rejects a key, with a 400. */
const INVALID_KEY_MESSAGE = /\bapi key (?:not valid|expired)\b/iu;
/** How servers say with a 400 that they do not know the model: Mistral, LiteLLM, DeepSeek, OpenRouter. */
const UNKNOWN_MODEL_MESSAGE = /\binvalid model(?::| name\b)|\bmodel not exist\b|\bnot a valid model id\b/iu;
/** The same in a message that names the model in `param`: without it, such words may be about anything. */
const UNKNOWN_PARAM_MESSAGE =
  /not[ _](?:exist|(?:be )?found)|invalid[ _]model|\b(?:no such model|unknown|unrecognized)\b/iu;
/** Codes of a 404 about the model: the format's, and that of Azure. */
const UNKNOWN_MODEL_CODES: ReadonlySet<string | undefined> = new Set([
  'model_not_found',
  'DeploymentNotFound',
]);
/** How servers name the wait in words only: Groq and OpenAI (`try again in 1m2.5s`), Gemini (`retry in 38.2s`), Azure (`retry after 9 seconds`). */
const WAIT_MESSAGE =
  /\b(?:try again|retry) (?:in|after) (?:((?:\d+(?:\.\d+)?(?:ms|[hms]))+)|(\d+(?:\.\d+)?) seconds?)\b/iu;
/** How servers say with a 403 that a filter rejected the question, and not the key: OpenRouter and gateways. */
const FILTER_MESSAGE =
  /\bflagged\b|\bmoderation\b|\bcontent[_ ](?:policy|filter)|\bguardrail|\bprompt injection\b/iu;

export type ErrorResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Removed from the message, in case the server quoted it. */
  readonly key: string;
  readonly now: number;
  /** Whether a 404 can mean the model (chat requests). */
  readonly isChat: boolean;
};

/**
 * Creates the error for a status other than 2xx, from its status and code, and from its message where servers have no code for what
 * it says: a prompt that is too long, a filtered question, missing credit, a wait, an unknown path. `type` is not read: its values are not specified.
 */
export function createHttpError(response: ErrorResponse): UpstreamError {
  const { headers } = response;
  const errorBody = redactBody(parseErrorBody(response.body), response.key);
  const status = readStatus(response.status, errorBody);
  const facts: ErrorFacts = {
    status,
    code: errorBody.isPage && !MEANINGFUL_STATUSES.has(status) ? 'html' : readCode(status, errorBody),
    param: errorBody.param,
    requestId: getRequestId(headers) ?? errorBody.id,
    retryAfterMs: parseRetryAfter(headers, response.now) ?? readWait(status, errorBody),
  };
  const message = `The upstream answered ${response.status}${formatDetails(errorBody)}`;
  return createError(status, errorBody, facts, response.isChat, message);
}

/** Creates the error for `{error: …}` inside a stream. It has no HTTP status; some servers put one into `code`. */
export function createStreamError(
  event: JsonObject,
  key: string,
  requestId: string | undefined,
): UpstreamError {
  const errorBody = redactBody(parseErrorJson(event), key);
  const { code = '' } = errorBody;
  const status = readStatus(/^[45]\d\d$/u.test(code) ? Number(code) : inferStatus(code), errorBody);
  const facts: ErrorFacts = {
    code: readCode(status, errorBody),
    param: errorBody.param,
    requestId: requestId ?? errorBody.id,
    retryAfterMs: readWait(status, errorBody),
  };
  return createError(
    status,
    errorBody,
    facts,
    true,
    `The upstream ended the answer with an error${formatDetails(errorBody)}`,
  );
}

/** The statuses with which servers send these codes, where they send a status. */
const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['model_at_capacity', 429],
  ['insufficient_quota', 429],
  ['invalid_api_key', 401],
  ['model_not_found', 404],
  [CONTEXT_CODE, 400],
  ['invalid_value', 400],
  ['tool_use_failed', 400],
]);

const inferStatus = (code: string): number => STATUS_BY_CODE.get(code) ?? 500;

/** Returns the status as other servers send it: a rejected key is a 401. */
const readStatus = (status: number, { reason, message = '' }: ErrorBody): number =>
  status === 400 && (reason === 'API_KEY_INVALID' || INVALID_KEY_MESSAGE.test(message)) ? 401 : status;

/** Returns the wait (ms) that the body names: in a field, or after a limit in its message. */
function readWait(status: number, { retryDelay, message = '' }: ErrorBody): number | undefined {
  // Both are durations, so the time now is not needed.
  const wait = parseWait(retryDelay, 0);
  if (wait !== undefined || status !== 429) return wait;
  const [, duration, seconds] = WAIT_MESSAGE.exec(message) ?? [];
  return parseWait(duration ?? seconds, 0);
}

/** Returns the server's code. A prompt that exceeds the context, or any limit by itself, has the same code from every server. */
function readCode(
  status: number,
  { code, message = '', providerMessage = '', isPage }: ErrorBody,
): string | undefined {
  const details = `${message} ${providerMessage}`;
  const isTooLong =
    (CONTEXT_STATUSES.has(status) && CONTEXT_MESSAGE.test(details)) ||
    (ABOVE_LIMIT_STATUSES.has(status) && ABOVE_LIMIT_MESSAGE.test(details));
  return isTooLong && isPage !== true ? CONTEXT_CODE : code;
}

function createError(
  status: number,
  errorBody: ErrorBody,
  facts: ErrorFacts,
  isChat: boolean,
  message: string,
): UpstreamError {
  if (facts.code === CONTEXT_CODE && ABOVE_LIMIT_STATUSES.has(status))
    return new BadRequestError(message, facts);
  // Some servers report missing capacity with 503 or 529 and the same code.
  if (status === 429 || errorBody.code === 'model_at_capacity')
    return createLimitError(errorBody, facts, message);
  if (status === 401) return new AuthError(message, facts);
  if (status === 403) return createRefusal(errorBody, facts, message);
  if (status === 402) return new QuotaError(message, facts);
  if (status === 404)
    return isChat && !isWrongPath(errorBody)
      ? new UnknownModelError(message, facts)
      : new NotFoundError(message, facts);
  if (status === 413) return new TooLargeError(message, facts);
  if (status === 400 && isChat && isUnknownModel(errorBody)) return new UnknownModelError(message, facts);
  if (status === 408 || status === 409 || status >= 500) return new ServerError(message, facts);
  if (status < 400) return new MalformedAnswerError(message, { ...facts, code: facts.code ?? 'redirect' });
  return new BadRequestError(message, facts);
}

/** Whether a 400 says that the model is not known. Servers name it in `param` too if it does not support a part of the request. */
const isUnknownModel = (errorBody: ErrorBody): boolean =>
  UNKNOWN_MODEL_CODES.has(errorBody.code) ||
  UNKNOWN_MODEL_MESSAGE.test(errorBody.message ?? '') ||
  (errorBody.param === 'model' && UNKNOWN_PARAM_MESSAGE.test(joinDetails(errorBody)));

/** A 404 of a chat request means the model, unless the body is not JSON or its message is about the path. */
function isWrongPath({ message = '', code, param, isJson: json }: ErrorBody): boolean {
  if (UNKNOWN_MODEL_CODES.has(code) || param === 'model') return false;
  if (!json) return true;
  return WRONG_PATH_MESSAGE.test(message) && !/\bmodels?\b/iu.test(message);
}

/** A 403 means the key, unless its body says that a filter rejected the question or that credit is missing. */
function createRefusal(errorBody: ErrorBody, facts: ErrorFacts, message: string): UpstreamError {
  const details = errorBody.isPage === true ? '' : joinDetails(errorBody);
  // First: such messages may say that no credit was used.
  if (FILTER_MESSAGE.test(details)) return new BadRequestError(message, { ...facts, code: 'content_filter' });
  return QUOTA_MESSAGE.test(details) ? new QuotaError(message, facts) : new AuthError(message, facts);
}

const joinDetails = ({ code = '', message = '' }: ErrorBody): string => `${code} ${message}`;

/** A 429 for missing credit has the code `insufficient_quota`, or no wait and a message about credit. */
function createLimitError(errorBody: ErrorBody, facts: ErrorFacts, message: string): UpstreamError {
  if (errorBody.code === 'model_at_capacity') return new AtCapacityError(message, facts);
  if (errorBody.code === 'insufficient_quota') return new QuotaError(message, facts);
  const details = joinDetails(errorBody);
  const canWait =
    facts.retryAfterMs !== undefined ||
    errorBody.code === 'rate_limit_exceeded' ||
    SHORT_LIMIT_MESSAGE.test(details);
  return !canWait && QUOTA_MESSAGE.test(details)
    ? new QuotaError(message, facts)
    : new RateLimitedError(message, facts);
}

function formatDetails({ message = '', providerMessage = '', code }: ErrorBody): string {
  const tag = code === undefined ? '' : ` (${code})`;
  const details = [message, providerMessage].filter((text) => text !== '').join(': ');
  return details === '' ? `${tag}.` : `${tag}: ${details}`;
}

/** Removes the key from all fields: a server may quote it, and errors are logged. */
function redactBody(errorBody: ErrorBody, key: string): ErrorBody {
  const redactField = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redact(text, key);
  const { message, providerMessage, code, param, id, retryDelay, reason, isJson: json, isPage } = errorBody;
  return {
    isPage,
    retryDelay,
    reason,
    message: redactField(message),
    providerMessage: redactField(providerMessage),
    code: redactField(code),
    param: redactField(param),
    id: redactField(id),
    isJson: json,
  };
}

/** Removes the key and control characters, and shortens the text. */
export function redact(text: string, key: string): string {
  const withoutKey = key === '' ? text : text.replaceAll(key, '[key]');
  const line = withoutKey.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : line;
}
