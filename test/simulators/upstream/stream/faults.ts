import * as v from 'valibot';
import { numberOf } from '../directives.ts';
import type { Directive } from '../directives.ts';
import { streamShape } from './shape.ts';

const ms = v.pipe(v.number(), v.integer(), v.minValue(0));
const after = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)));
const retryAfter = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)));

/** One fault. `after` counts events of a stream. */
export const fault = v.variant('kind', [
  /** Any status, with the envelope of the endpoint or another body. */
  v.strictObject({
    kind: v.literal('error'),
    status: v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599)),
    code: v.optional(v.string()),
    message: v.optional(v.string()),
    retryAfter,
    body: v.optional(v.picklist(['json', 'html', 'text', 'empty'])),
  }),
  /** 429 of one model: the key has capacity. */
  v.strictObject({ kind: v.literal('capacity'), retryAfter, model: v.optional(v.string()) }),
  /** 429 of the key. */
  v.strictObject({ kind: v.literal('limited'), retryAfter }),
  /** 429 without `Retry-After`: the credit is used up. */
  v.strictObject({ kind: v.literal('quota') }),
  /** The connection is closed before any byte of an answer. */
  v.strictObject({ kind: v.literal('refuse') }),
  /** No response ever arrives. */
  v.strictObject({ kind: v.literal('hang') }),
  /** The head comes late. */
  v.strictObject({ kind: v.literal('late'), ms }),
  /** The connection breaks within the body. */
  v.strictObject({ kind: v.literal('cut'), after }),
  /** The body ends properly, but too early. */
  v.strictObject({ kind: v.literal('eof'), after }),
  /** The body stops and the connection stays; `pingMs` keeps it alive with comments. */
  v.strictObject({ kind: v.literal('silence'), after, pingMs: v.optional(ms) }),
  /** The head comes at once, then nothing but a comment each `pingMs` for this time, then the answer, as of a model that thinks silently. */
  v.strictObject({ kind: v.literal('think'), ms, pingMs: v.optional(ms) }),
  /** Another pace: ms before each event. */
  v.strictObject({ kind: v.literal('slow'), ms }),
  /** The delay of the usage, and of what follows it, after the end of the answer. */
  v.strictObject({ kind: v.literal('late-usage'), ms }),
  /** An error inside the stream, in one of the forms found in the wild. */
  v.strictObject({
    kind: v.literal('error-event'),
    form: v.optional(v.picklist(['data', 'event', 'object', 'finish'])),
    after,
    code: v.optional(v.string()),
  }),
  /** Malformed JSON in the middle. */
  v.strictObject({ kind: v.literal('malformed'), after }),
  /** One JSON body although a stream was asked for. */
  v.strictObject({ kind: v.literal('json') }),
  /** A page of HTML with status 200. */
  v.strictObject({ kind: v.literal('html') }),
  /** 302 to another address. */
  v.strictObject({ kind: v.literal('redirect'), location: v.string() }),
  /** The stream has another format. */
  v.strictObject({ kind: v.literal('shape'), shape: streamShape }),
  /** This text instead of the assistant's, for example JSON that does not fit the schema. */
  v.strictObject({ kind: v.literal('say'), text: v.string() }),
]);

export type Fault = v.InferOutput<typeof fault>;

/** A fault and when it occurs. */
export const faultRule = v.strictObject({
  fault,
  /** The number of affected requests; by default every one until the rule is removed. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.gtValue(0))),
  /** The number of matching requests that pass before. */
  skip: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** The share of affected matching requests, 0 to 1. */
  rate: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  /** Requests whose path starts with this. Default: chat completions. */
  path: v.optional(v.string()),
  /** Requests whose body contains this text. */
  containing: v.optional(v.string()),
});

export type FaultRule = v.InferOutput<typeof faultRule>;

/** The rule that a directive in a message stands for; undefined for directives that are no fault. */
export function ruleOf({ name, value, options }: Directive): FaultRule | undefined {
  const parsedFault = faultOf(name, value, options);
  if (parsedFault === undefined) return undefined;
  const read = v.safeParse(faultRule, {
    fault: parsedFault,
    ...(options['times'] === undefined ? {} : { times: Number(options['times']) }),
  });
  return read.success ? read.output : undefined;
}

function faultOf(name: string, value: string | undefined, options: Directive['options']): unknown {
  const at = value === undefined ? {} : { after: numberOf(value, 0) };
  const number = (option: string, field: string): Record<string, number> =>
    options[option] === undefined ? {} : { [field]: Number(options[option]) };
  const text = (field: string): Record<string, string> =>
    options[field] === undefined ? {} : { [field]: options[field] };
  const kind = name;
  if (PLAIN.has(name)) return { kind };
  if (name === 'error') {
    return {
      kind,
      status: numberOf(value, 500),
      ...text('code'),
      ...number('retry', 'retryAfter'),
      ...text('body'),
    };
  }
  if (name === 'capacity' || name === 'limited') return { kind, ...number('retry', 'retryAfter') };
  if (name === 'late' || name === 'slow' || name === 'late-usage') return { kind, ms: numberOf(value, 1000) };
  if (name === 'cut' || name === 'eof' || name === 'malformed') return { kind, ...at };
  if (name === 'think') return { kind, ms: numberOf(value, 1000), ...number('ping', 'pingMs') };
  if (name === 'silence') return { kind, ...at, ...number('ping', 'pingMs') };
  if (name === 'error-event')
    return { kind, ...(value === undefined ? {} : { form: value }), ...text('code') };
  return name === 'shape' ? { kind, shape: shapeOf(options) } : undefined;
}

const PLAIN = new Set(['quota', 'refuse', 'hang', 'json', 'html']);

function shapeOf(options: Directive['options']): Record<string, unknown> {
  const shape: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(options)) {
    if (name === 'times') continue;
    if (text === 'true' || text === 'false') shape[name] = text === 'true';
    else shape[name] = /^\d+$/u.test(text) ? Number(text) : text;
  }
  return shape;
}
