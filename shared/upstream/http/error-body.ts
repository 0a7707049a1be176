import { isObject, type JsonObject, asArray, asObject, parseJson, asNonEmptyString } from './json.ts';

/** The fields of an error body, whatever its form. */
export type ErrorBody = {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
  /** What the model's provider answered, if a gateway (OpenRouter) passes it on beside a message of its own. */
  readonly providerMessage?: string | undefined;
  /** The wait in a `google.rpc.RetryInfo`, such as `38s`: Gemini sends it in place of a header. */
  readonly retryDelay?: string | undefined;
  /** The reason in a `google.rpc.ErrorInfo`, such as `API_KEY_INVALID`. */
  readonly reason?: string | undefined;
  /** The `id` of the body, which 5xx responses have. */
  readonly id?: string | undefined;
  /** Whether the body was JSON. A model server sends JSON; a proxy or a website sends a page. */
  readonly isJson: boolean;
  /** Whether the body was an HTML page: a proxy, a firewall or a website sent it. */
  readonly isPage?: boolean | undefined;
};

/** Returns the body in a list of one: Gemini sends its errors so. */
export function unwrapErrorList(value: unknown): unknown {
  const [first] = asArray(value);
  return isObject(first) && first['error'] !== undefined ? first : value;
}

/**
 * Parses an error body: `{error: {message, type, code, param}}`, `{error: "…"}`, `{detail: [{loc, msg, type}]}` (422),
 * `{detail: "…"}`, `{object: "error", message, code}`, `{message: {detail: […]}}` (Mistral), `{errors: [{message, code}]}`
 * (Cloudflare), a list of one of these (Gemini), or text that is not JSON (a proxy's page).
 */
export function parseErrorBody(body: string): ErrorBody {
  const value = unwrapErrorList(parseJson(body));
  if (isObject(value)) return parseErrorJson(value);
  const text = body
    .replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/giu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const isPage = /^\s*</u.test(body);
  return text === '' ? { isJson: false, isPage } : { message: text, isJson: false, isPage };
}

/** Like `parseErrorBody`, for parsed JSON such as an error event inside a stream. */
export function parseErrorJson(value: JsonObject): ErrorBody {
  const id = asNonEmptyString(value['id']) ?? asNonEmptyString(value['request_id']);
  const error = value['error'];
  if (isObject(error)) return { ...parseErrorFields(error), id };
  if (typeof error === 'string') return { ...parseErrorFields(value), message: error, id };
  const detail = value['detail'] ?? asObject(value['message'])?.['detail'];
  if (Array.isArray(detail)) return { ...parseValidationErrors(detail), id };
  if (typeof value['detail'] === 'string')
    return { ...parseErrorFields(value), message: value['detail'], id };
  const [first] = asArray(value['errors']);
  return { ...parseErrorFields(isObject(first) ? first : value), id };
}

function parseErrorFields(error: JsonObject): ErrorBody {
  const code = error['code'];
  return {
    message: asNonEmptyString(error['message']),
    code: typeof code === 'number' ? String(code) : asNonEmptyString(code),
    param: asNonEmptyString(error['param']),
    providerMessage: readProviderMessage(asObject(error['metadata'])?.['raw']),
    retryDelay: findDetail(error, 'retryDelay'),
    reason: findDetail(error, 'reason'),
    isJson: true,
  };
}

/** Returns a field of the details that Google adds to its errors. */
const findDetail = (error: JsonObject, name: string): string | undefined =>
  asArray(error['details'])
    .map((detail) => asNonEmptyString(asObject(detail)?.[name]))
    .find((value) => value !== undefined);

/** Returns the message of a provider's error body, which is JSON, JSON in a string, or text. */
function readProviderMessage(raw: unknown): string | undefined {
  const body = unwrapErrorList(typeof raw === 'string' ? parseJson(raw) : raw);
  if (!isObject(body)) return asNonEmptyString(raw);
  const { error, message, detail } = body;
  const text = [asObject(error)?.['message'], error, message, detail].find(asNonEmptyString);
  return asNonEmptyString(text) ?? asNonEmptyString(raw);
}

/** Takes code and field from the first error; the message lists all errors. */
function parseValidationErrors(list: readonly unknown[]): ErrorBody {
  const errors = list.filter(isObject).map((item) => ({
    where: asArray(item['loc'])
      .filter((part) => part !== 'body')
      .map(String)
      .join('.'),
    what: asNonEmptyString(item['msg']) ?? 'is not valid',
    type: asNonEmptyString(item['type']),
  }));
  const message = errors.map(({ where, what }) => (where === '' ? what : `${where}: ${what}`)).join('; ');
  return {
    message: asNonEmptyString(message),
    code: errors[0]?.type,
    param: asNonEmptyString(errors[0]?.where),
    isJson: true,
  };
}
