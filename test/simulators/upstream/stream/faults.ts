import * as z from 'zod/mini';
import { numberOf } from '../directives.ts';
import type { Directive } from '../directives.ts';
import { streamShape } from './shape.ts';

const ms = z.int().check(z.nonnegative());
const after = z.optional(z.int().check(z.nonnegative()));
const retryAfter = z.optional(z.int().check(z.nonnegative()));

/** One way to misbehave. `after` counts events of a stream. */
export const fault = z.discriminatedUnion('kind', [
  /** Any status, with the envelope of the endpoint or another body. */
  z.strictObject({
    kind: z.literal('error'),
    status: z.int().check(z.gte(400), z.lte(599)),
    code: z.optional(z.string()),
    message: z.optional(z.string()),
    retryAfter,
    body: z.optional(z.enum(['json', 'html', 'text', 'empty'])),
  }),
  /** 429 of one model: the key could send. */
  z.strictObject({ kind: z.literal('capacity'), retryAfter, model: z.optional(z.string()) }),
  /** 429 of the key. */
  z.strictObject({ kind: z.literal('limited'), retryAfter }),
  /** 429 without `Retry-After`: the credit is used up. */
  z.strictObject({ kind: z.literal('quota') }),
  /** The connection is closed before any byte of an answer. */
  z.strictObject({ kind: z.literal('refuse') }),
  /** No answer ever comes. */
  z.strictObject({ kind: z.literal('hang') }),
  /** The head comes late. */
  z.strictObject({ kind: z.literal('late'), ms }),
  /** The connection breaks within the body. */
  z.strictObject({ kind: z.literal('cut'), after }),
  /** The body ends in good order, but before its end. */
  z.strictObject({ kind: z.literal('eof'), after }),
  /** The body stops and the connection stays; `pingMs` keeps it alive with comments. */
  z.strictObject({ kind: z.literal('silence'), after, pingMs: z.optional(ms) }),
  /** Another pace: ms before each event. */
  z.strictObject({ kind: z.literal('slow'), ms }),
  /** The usage, and what follows it, comes so much later than the end of the answer. */
  z.strictObject({ kind: z.literal('late-usage'), ms }),
  /** An error inside the stream, in one of the forms found in the wild. */
  z.strictObject({
    kind: z.literal('error-event'),
    form: z.optional(z.enum(['data', 'event', 'object', 'finish'])),
    after,
    code: z.optional(z.string()),
  }),
  /** JSON that is none, in the middle. */
  z.strictObject({ kind: z.literal('malformed'), after }),
  /** One JSON body although a stream was asked for. */
  z.strictObject({ kind: z.literal('json') }),
  /** A page of HTML with status 200. */
  z.strictObject({ kind: z.literal('html') }),
  /** 302 to another address. */
  z.strictObject({ kind: z.literal('redirect'), location: z.string() }),
  /** The stream is written in another manner. */
  z.strictObject({ kind: z.literal('shape'), shape: streamShape }),
  /** This text instead of the assistant's: JSON that does not fit, for one. */
  z.strictObject({ kind: z.literal('say'), text: z.string() }),
]);

export type Fault = z.infer<typeof fault>;

/** A fault and when it strikes. */
export const faultRule = z.strictObject({
  fault,
  /** How many requests it strikes; without it, every one until it is taken away. */
  times: z.optional(z.int().check(z.positive())),
  /** How many matching requests pass before. */
  skip: z.optional(z.int().check(z.nonnegative())),
  /** The share of matching requests that it strikes, 0 to 1. */
  rate: z.optional(z.number().check(z.gte(0), z.lte(1))),
  /** Requests whose path begins so. Default: chat completions. */
  path: z.optional(z.string()),
  /** Requests whose body holds this text. */
  containing: z.optional(z.string()),
});

export type FaultRule = z.infer<typeof faultRule>;

/** The rule that a directive in a message stands for; undefined for directives that are no fault. */
export function ruleOf({ name, value, options }: Directive): FaultRule | undefined {
  const made = faultOf(name, value, options);
  if (made === undefined) return undefined;
  const read = faultRule.safeParse({
    fault: made,
    ...(options['times'] === undefined ? {} : { times: Number(options['times']) }),
  });
  return read.success ? read.data : undefined;
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
