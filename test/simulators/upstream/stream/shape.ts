import * as z from 'zod/mini';

/** How a stream is written. Every field left out is what the field's common clients expect. */
export const streamShape = z.partial(
  z.strictObject({
    newline: z.enum(['lf', 'crlf', 'cr', 'mixed']),
    bom: z.boolean(),
    /** Bytes per write; 0 writes event by event. */
    split: z.int().check(z.nonnegative()),
    comments: z.enum(['none', 'blocks', 'inside']),
    /** `data: x`, `data:x`, or each event over two `data` lines. */
    data: z.enum(['blank', 'no-blank', 'multiline']),
    /** `id`, `event` and `retry` fields on each event. */
    fields: z.boolean(),
    emptyData: z.boolean(),
    /** `blank` writes `data: [DONE] `, `open` leaves its line unended, `more` writes one more event after it. */
    done: z.enum(['yes', 'no', 'blank', 'open', 'more']),
    /** Ends the last event with its blank line. */
    lastNewline: z.boolean(),
    usage: z.enum(['separate', 'finish', 'every', 'none', 'null', 'no-choices']),
    role: z.enum(['first', 'none', 'late']),
    ids: z.boolean(),
    reasoning: z.enum(['reasoning_content', 'reasoning', 'both']),
    /** Tool calls in fragments, whole, without `index`, all on index 0, or with nulls in later fragments. */
    tools: z.enum(['fragments', 'whole', 'no-index', 'same-index', 'nulls', 'object']),
    /** Another finish reason than the true one. */
    finish: z.string(),
    contentType: z.string(),
    /** Comments for keep-alive while the stream is silent, one each so many ms. */
    pingMs: z.int().check(z.positive()),
  }),
);

export type StreamShape = z.infer<typeof streamShape>;
