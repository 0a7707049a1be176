/**
 * Gives the trace that what is done now belongs to, as X-Ray's header: `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=0`. One
 * trace runs from the event of a platform over the queues to the last edit of its answer, and stands in each line of the log.
 */
export type Trace = () => string | undefined;

/** The trace that Lambda gives each invocation, also where X-Ray is off. */
export const lambdaTrace: Trace = () => process.env['_X_AMZN_TRACE_ID'];

/** The id of a trace, by which the lines of all logs are found; undefined without one. */
export const traceId = (header: string | undefined): string | undefined =>
  /Root=([^;]*)/.exec(header ?? '')?.[1];
