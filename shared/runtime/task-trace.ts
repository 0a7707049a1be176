import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { getLambdaTrace, type Trace } from './trace.ts';

const currentTrace = new AsyncLocalStorage<string>();

/**
 * Returns the trace of the current task; a process runs several at a time. Outside of tasks, that of the
 * invocation.
 */
export const getTaskTrace: Trace = () => currentTrace.getStore() ?? getLambdaTrace();

/**
 * Runs a function in a trace: its log lines and queued messages belong to it. Without a trace, they belong to
 * the invocation's.
 */
export function runInTrace<T>(trace: string | undefined, act: () => T): T {
  return trace === undefined ? act() : currentTrace.run(trace, act);
}

/** Creates a trace (`now` in ms since 1970) in X-Ray's format, marked as not sampled. */
export function createTrace(now: number): string {
  const seconds = Math.floor(now / 1_000)
    .toString(16)
    .padStart(8, '0');
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')};Sampled=0`;
}
