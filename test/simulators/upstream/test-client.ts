import { bodyOf } from './exchange.ts';
import type { SimAnswer } from './exchange.ts';
import { createUpstreamCore } from './core.ts';
import type { UpstreamCore } from './core.ts';
import { isList, isObject, isText, parseJson } from './json.ts';
import type { JsonObject } from './json.ts';
import type { CoreOptions } from './settings.ts';

/** What tests look at. */
export type Seen = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
  /** The parsed `data` of each event, `[DONE]` left out. */
  readonly events: readonly JsonObject[];
  readonly text: string;
};

/** Limits that other tests do not reach. */
export const ROOMY: CoreOptions = { limits: { chat: { perMinute: 60_000, burst: 1000 } } };

/** A simulator with a clock that stands still, and request helpers. */
export function standing(options: CoreOptions = {}): { core: UpstreamCore; at: { now: number } } {
  const at = { now: 1_700_000_000_000 };
  return { core: createUpstreamCore({ clock: () => at.now, profile: 'strict', ...options }), at };
}

export function readAnswer(answer: SimAnswer): Seen {
  const text = bodyOf(answer);
  const lines = text.split('\n\n').filter((line) => line.startsWith('data: ') && !line.includes('[DONE]'));
  const events = lines.map((line) => parseJson(line.slice('data: '.length))?.value).filter(isObject);
  return { status: answer.status, headers: answer.headers, json: answer.json, events, text };
}

export type Send = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** One request with the default key as bearer, unless `headers` say otherwise. */
export function send(
  core: UpstreamCore,
  { path = '/v1/chat/completions', method, headers, body }: Send,
): Seen {
  const requestHeaders = headers ?? { authorization: 'Bearer sim-key-local' };
  const request = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    headers: { 'content-type': 'application/json', ...requestHeaders },
    body: isText(body) ? body : JSON.stringify(body),
  };
  return readAnswer(core.handle(request).answer);
}

/** A chat completion of `model-c` with "hello", changed by `patch`. */
export function ask(core: UpstreamCore, patch: JsonObject = {}): Seen {
  return send(core, { body: { model: 'model-c', messages: [{ role: 'user', content: 'hello' }], ...patch } });
}

/** The same in the legacy shape, to `vendor-flash`. */
export function askLegacy(core: UpstreamCore, patch: JsonObject = {}): Seen {
  const body = { model: 'vendor-flash', messages: [{ role: 'user', content: 'hello' }], ...patch };
  return send(core, { headers: { 'x-api-key': 'sim-key-local' }, body });
}

export function user(content: unknown): JsonObject {
  return { role: 'user', content };
}

/** Walks into a JSON value: `pick(json, 'choices', 0, 'message')`. */
export function pick(json: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((at, step) => {
    if (isList(at) && typeof step === 'number') return at[step];
    return isObject(at) ? at[step] : undefined;
  }, json);
}

/** The answer's text, from one body or from the chunks of a stream. */
export function answerText({ json, events }: Seen): string {
  const whole = pick(json, 'choices', 0, 'message', 'content');
  if (events.length === 0) return isText(whole) ? whole : '';
  return events
    .map((event) => pick(event, 'choices', 0, 'delta', 'content'))
    .filter(isText)
    .join('');
}
