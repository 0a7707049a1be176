import type { UpstreamError } from '../errors.ts';

/** After this time a field is sent again: the server may have been updated. */
const TTL_MS = 60 * 60_000;

/** Request fields that a server rejected for a model, so that later requests do not fail first. For one process. */
export class RejectedFields {
  readonly #now: () => number;
  readonly #untilMs = new Map<string, Map<string, number>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The rejected fields of a model, as on the wire. */
  of(model: string): readonly string[] {
    const now = this.#now();
    return [...(this.#untilMs.get(model) ?? [])].flatMap(([field, until]) => (now < until ? [field] : []));
  }

  add(model: string, field: string): void {
    const fields = this.#untilMs.get(model) ?? new Map<string, number>();
    this.#untilMs.set(model, fields.set(field, this.#now() + TTL_MS));
  }
}

/** How Azure OpenAI names a field that its API version does not know: without `param`. */
const UNRECOGNIZED = /\bunrecognized request arguments? supplied: (\w+)/iu;

/** How servers say that there are no tools: Ollama, vLLM, OpenAI, Gemini and Bedrock (400), Azure and OpenRouter (404), DeepInfra (405), llama.cpp (500). */
const NO_TOOLS: readonly RegExp[] = [
  /(?:\bnot|n['’]t) support (?:the )?(?:provided )?['"`]?(?:tool|function)/iu,
  /\bno (?:\w+ ){1,3}supports? (?:the provided )?['"`]?tool/iu,
  /\b(?:tools?|functions?)(?:[ _-](?:use|choice|call(?:ing|s)?))?['"`]? (?:is|are) (?:currently )?not (?:supported|enabled|available|allowed)/iu,
  /\b(?:unsupported|unrecognized)\b[\w ]*: ['"`]?tools?\b/iu,
  /\btools?(?: \w+)? requires --/iu,
];

/** In place of a field: the server rejects messages with calls that lack their `reasoning_content`, which other servers must not get. */
export const ABSENT_REASONING = 'no reasoning_content';

/** How servers demand it: DeepSeek, Kimi. */
const REASONING_DEMANDED =
  /\breasoning_content\b[\s\S]*\b(?:missing|passed back|required)\b|\bmissing\b[\s\S]*\breasoning_content\b/iu;

/** Whether the error says that the model or its server has no tools. Most servers do not name the field, and use a status of their own. */
const refusesTools = ({ kind, status, message }: UpstreamError): boolean =>
  kind !== 'rate-limited' && status !== 401 && NO_TOOLS.some((pattern) => pattern.test(message));

/** The top-level request field that an error is about: `tools` for `tools[0].function.name`. A 400 or 422 names it. */
export function getRejectedField(error: UpstreamError): string | undefined {
  const { kind, code, param, message } = error;
  if (code === FAILED_CALL) return 'tools';
  // A gateway in Python may send its absent value as a word.
  if ((param === undefined || param === 'None') && refusesTools(error)) return 'tools';
  if (kind !== 'bad-request') return undefined;
  if (REASONING_DEMANDED.test(message)) return ABSENT_REASONING;
  const [field] = (param ?? UNRECOGNIZED.exec(message)?.[1] ?? '').split(/[.[]/u);
  if (field === '') return undefined;
  return field === 'reasoning' ? 'reasoning_effort' : field;
}

/**
 * Leaves rejected fields out of a body in which every request has them: `stream_options`, and `max_tokens`, which the models of
 * OpenAI from o1 on call `max_completion_tokens`.
 */
export function withoutRejected(
  body: Readonly<Record<string, unknown>>,
  rejected: readonly string[],
): Readonly<Record<string, unknown>> {
  const sent = { ...body };
  if (rejected.includes('stream_options')) delete sent['stream_options'];
  if (rejected.includes('max_tokens') && sent['max_tokens'] !== undefined) {
    sent['max_completion_tokens'] = sent['max_tokens'];
    delete sent['max_tokens'];
  }
  return sent;
}

/** Whether a request can be sent without the field that the error is about: see `withoutRejected`. */
export const isReplaceable = (field: string, { message }: UpstreamError): boolean =>
  field === 'stream_options' || (field === 'max_tokens' && message.includes('max_completion_tokens'));

/** Groq could not read the call that its model wrote. The question was fine, and so may the next call be. */
const FAILED_CALL = 'tool_use_failed';

/** Whether the server rejects the value only, such as one of the tools (`tools[3].function`): other values of the same field may be accepted. */
export const isAboutValue = ({ code, param }: UpstreamError): boolean =>
  code === FAILED_CALL ||
  (code !== undefined && /value/u.test(code)) ||
  (param !== undefined && /^tools[.[]/u.test(param));
