import type { IncomingMessage } from 'node:http';
import { isJson, type Json, parsed } from './json.ts';
import { RefusalError } from './refusal.ts';

/** Discord's limit for a request with files. */
export const BODY_LIMIT = 25 * 1_048_576;

/** A file in a part `files[n]`. */
export type Upload = {
  /** The n. */
  readonly id: string;
  readonly filename: string;
  /** The content type of the part; octet-stream without one. */
  readonly contentType: string;
  readonly content: Buffer;
};

/** The body of a request: JSON, and the attached files. An array (of commands) is in `payload`. */
export type Body = { readonly payload: unknown; readonly json: Json; readonly uploads: readonly Upload[] };

const EMPTY: Body = { payload: undefined, json: {}, uploads: [] };

/** Reads a body. Throws 40005 for one that is too large, 50109 for malformed JSON, 50035 for another type. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  return bodyOf(await bytesOf(request), request.headers['content-type'] ?? '');
}

/** The same for bytes that have been read. */
export async function bodyOf(raw: Buffer, type: string): Promise<Body> {
  if (raw.length === 0) return EMPTY;
  if (type.startsWith('application/json')) return jsonBody(raw.toString('utf8'));
  if (type.startsWith('multipart/form-data')) return formBody(raw, type);
  const message = 'Expected "Content-Type" header to be one of application/json, multipart/form-data.';
  throw new RefusalError(50035, [{ at: [], code: 'CONTENT_TYPE_INVALID', message }]);
}

async function formBody(raw: Buffer, type: string): Promise<Body> {
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new RefusalError(50109);
    });
  const payloadField = form.get('payload_json');
  const fields = [...form].filter(([name, value]) => typeof value === 'string' && name !== 'payload_json');
  const { payload, json } =
    typeof payloadField === 'string'
      ? jsonBody(payloadField)
      : { payload: Object.fromEntries(fields), json: {} };
  const uploads: Upload[] = [];
  for (const [name, value] of form) {
    const id = /^files?\[(\d+)\]$/.exec(name)?.[1];
    if (id === undefined || typeof value === 'string') continue;
    const content = Buffer.from(await value.arrayBuffer());
    const contentType = value.type === '' ? 'application/octet-stream' : value.type;
    uploads.push({ id, filename: value.name, contentType, content });
  }
  return { payload, json: isJson(payload) ? payload : json, uploads };
}

function jsonBody(text: string): Body {
  const payload = parsed(text);
  if (payload === undefined) throw new RefusalError(50109);
  return { payload, json: isJson(payload) ? payload : {}, uploads: [] };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size <= BODY_LIMIT) parts.push(part);
  }
  if (size > BODY_LIMIT) throw new RefusalError(40005);
  return Buffer.concat(parts);
}
