import * as z from 'zod/mini';
import type { AwsOperations } from './aws-endpoint.ts';
import { AwsError } from './aws-endpoint.ts';

const id = z.string().check(z.regex(/^[0-9a-f]{16}$/u));
const seconds = z.number().check(z.positive());
const name = z.string().check(z.regex(/^[\p{L}\p{N}\p{Z}_.:/%&#=+\\\-@]{1,200}$/u));
const Subsegment = z.strictObject({ id, name, start_time: seconds, end_time: seconds });
/** The used fields of a segment document (X-Ray developer guide, "segment documents"). */
const Segment = z
  .strictObject({
    id,
    name,
    trace_id: z.string().check(z.regex(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/u)),
    parent_id: z.optional(id),
    start_time: seconds,
    end_time: seconds,
    fault: z.optional(z.literal(true)),
    annotations: z.record(
      z.string().check(z.regex(/^\w+$/u)),
      z.union([z.string(), z.number(), z.boolean()]),
    ),
    subsegments: z.array(Subsegment),
  })
  .check(z.refine(({ start_time: start, end_time: end }) => start <= end));
export type Segment = z.infer<typeof Segment>;

const Put = z.object({ TraceSegmentDocuments: z.array(z.string()) });

const MAX_ENTRIES = 1_000;
const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Emulates X-Ray: stores segments in `kept`, and reports invalid ones in the response. */
export function createXRayOperations(kept: Segment[]): AwsOperations {
  const put = (input: unknown): unknown => {
    const asked = Put.safeParse(input);
    if (!asked.success) throw new AwsError('InvalidRequestException', 'No list of documents');
    const UnprocessedTraceSegments = asked.data.TraceSegmentDocuments.flatMap((text) => {
      const read = Segment.safeParse(parse(text));
      if (!read.success || Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
        return [{ ErrorCode: 'ParseError', Message: read.error?.message ?? 'too large' }];
      kept.push(read.data);
      if (kept.length > MAX_ENTRIES) kept.shift();
      return [];
    });
    return { UnprocessedTraceSegments };
  };
  return { 'POST /TraceSegments': put };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
