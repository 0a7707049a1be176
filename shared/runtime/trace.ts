/**
 * Returns the current trace as an X-Ray header: `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=0`.
 * A trace runs from a platform's event through the queues to the last edit of its answer, and is in each log
 * line.
 */
export type Trace = () => string | undefined;

/** Returns the trace of a Lambda invocation. Lambda sets it even without X-Ray. */
export const getLambdaTrace: Trace = () => process.env['_X_AMZN_TRACE_ID'];

/** Returns the id of a trace, which finds its lines in all logs; undefined without a trace. */
export const parseTraceId = (header: string | undefined): string | undefined =>
  /Root=([^;]*)/.exec(header ?? '')?.[1];
