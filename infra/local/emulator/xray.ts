import * as v from 'valibot';
import { parseJson } from '../../../shared/utils/index.ts';
import type { AwsOperations } from './aws-endpoint.ts';
import { AwsError } from './aws-endpoint.ts';

const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/u));
const seconds = v.pipe(v.number(), v.gtValue(0));
const name = v.pipe(v.string(), v.regex(/^[\p{L}\p{N}\p{Z}_.:/%&#=+\\\-@]{1,200}$/u));
const Subsegment = v.strictObject({ id, name, start_time: seconds, end_time: seconds });
/** The used fields of a segment document (X-Ray developer guide, "segment documents"). */
const Segment = v.pipe(
  v.strictObject({
    id,
    name,
    trace_id: v.pipe(v.string(), v.regex(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/u)),
    parent_id: v.optional(id),
    start_time: seconds,
    end_time: seconds,
    fault: v.optional(v.literal(true)),
    annotations: v.record(
      v.pipe(v.string(), v.regex(/^\w+$/u)),
      v.union([v.string(), v.number(), v.boolean()]),
    ),
    subsegments: v.array(Subsegment),
  }),
  v.check(({ start_time: start, end_time: end }) => start <= end),
);
export type Segment = v.InferOutput<typeof Segment>;

const Put = v.object({ TraceSegmentDocuments: v.array(v.string()) });

const MAX_ENTRIES = 1_000;
const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Emulates X-Ray: stores segments in `segments`, and reports invalid ones in the response. */
export function createXRayOperations(segments: Segment[]): AwsOperations {
  const put = (input: unknown): unknown => {
    const parsed = v.safeParse(Put, input);
    if (!parsed.success) throw new AwsError('InvalidRequestException', 'No list of documents');
    const UnprocessedTraceSegments = parsed.output.TraceSegmentDocuments.flatMap((text) => {
      const read = v.safeParse(Segment, parseJson(text));
      if (!read.success || Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
        return [{ ErrorCode: 'ParseError', Message: read.issues ? v.summarize(read.issues) : 'too large' }];
      segments.push(read.output);
      if (segments.length > MAX_ENTRIES) segments.shift();
      return [];
    });
    return { UnprocessedTraceSegments };
  };
  return { 'POST /TraceSegments': put };
}
