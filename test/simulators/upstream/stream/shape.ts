import * as v from 'valibot';

/** The format of a stream. Every omitted field is what common clients expect. */
export const streamShape = v.partial(
  v.strictObject({
    newline: v.picklist(['lf', 'crlf', 'cr', 'mixed']),
    bom: v.boolean(),
    /** Bytes per write; 0 writes event by event. */
    split: v.pipe(v.number(), v.integer(), v.minValue(0)),
    comments: v.picklist(['none', 'blocks', 'inside']),
    /** `data: x`, `data:x`, or each event over two `data` lines. */
    data: v.picklist(['blank', 'no-blank', 'multiline']),
    /** `id`, `event` and `retry` fields on each event. */
    fields: v.boolean(),
    emptyData: v.boolean(),
    /** `blank` writes `data: [DONE] `, `open` leaves its line unended, `more` writes one more event after it. */
    done: v.picklist(['yes', 'no', 'blank', 'open', 'more']),
    /** Ends the last event with its blank line. */
    lastNewline: v.boolean(),
    usage: v.picklist(['separate', 'finish', 'every', 'none', 'null', 'no-choices']),
    role: v.picklist(['first', 'none', 'late']),
    ids: v.boolean(),
    reasoning: v.picklist(['reasoning_content', 'reasoning', 'both']),
    /** Tool calls in fragments, whole, without `index`, all on index 0, or with nulls in later fragments. */
    tools: v.picklist(['fragments', 'whole', 'no-index', 'same-index', 'nulls', 'object']),
    /** A wrong finish reason. */
    finish: v.string(),
    contentType: v.string(),
    /** Comments for keep-alive while the stream is silent, one each so many ms. */
    pingMs: v.pipe(v.number(), v.integer(), v.gtValue(0)),
  }),
);

export type StreamShape = v.InferOutput<typeof streamShape>;
