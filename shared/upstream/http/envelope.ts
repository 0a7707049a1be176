import { isObject, type JsonObject, listOf, parseJson, stringOf } from './json.ts';

/** What an error body says, whatever its shape. */
export type Envelope = {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly param?: string | undefined;
  /** The `id` of the body, which 5xx answers carry. */
  readonly id?: string | undefined;
  /** Whether the body was JSON: a server of models answers with that, a proxy or a website with a page. */
  readonly json: boolean;
};

/**
 * Reads an error body: `{error: {message, type, code, param}}`, `{error: "…"}`, `{detail: [{loc, msg, type}]}` (422),
 * `{detail: "…"}`, `{object: "error", message, code}`, or text that is no JSON (a proxy's page).
 */
export function envelopeOf(body: string): Envelope {
  const value = parseJson(body);
  if (isObject(value)) return envelopeOfJson(value);
  const text = body
    .replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/giu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return text === '' ? { json: false } : { message: text, json: false };
}

/** The same for JSON that is parsed already, such as an error event within a stream. */
export function envelopeOfJson(value: JsonObject): Envelope {
  const id = stringOf(value['id']) ?? stringOf(value['request_id']);
  const error = value['error'];
  if (isObject(error)) return { ...fields(error), id };
  if (typeof error === 'string') return { ...fields(value), message: error, id };
  if (Array.isArray(value['detail'])) return { ...validation(value['detail']), id };
  if (typeof value['detail'] === 'string') return { ...fields(value), message: value['detail'], id };
  return { ...fields(value), id };
}

function fields(error: JsonObject): Envelope {
  const code = error['code'];
  return {
    message: stringOf(error['message']),
    code: typeof code === 'number' ? String(code) : stringOf(code),
    type: stringOf(error['type']),
    param: stringOf(error['param']),
    json: true,
  };
}

/** The first complaint gives code and field; the message names them all. */
function validation(list: readonly unknown[]): Envelope {
  const complaints = list.filter(isObject).map((item) => ({
    where: listOf(item['loc'])
      .filter((part) => part !== 'body')
      .map(String)
      .join('.'),
    what: stringOf(item['msg']) ?? 'is not valid',
    type: stringOf(item['type']),
  }));
  const message = complaints.map(({ where, what }) => (where === '' ? what : `${where}: ${what}`)).join('; ');
  return {
    message: stringOf(message),
    code: complaints[0]?.type,
    param: stringOf(complaints[0]?.where),
    json: true,
  };
}
