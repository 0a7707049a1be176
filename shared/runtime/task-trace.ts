import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { lambdaTrace, type Trace } from './trace.ts';

const tasks = new AsyncLocalStorage<string>();

/** The trace of the task that is worked on; a process works on several at a time. Without a task, that of the invocation. */
export const taskTrace: Trace = () => tasks.getStore() ?? lambdaTrace();

/** Does a task of that trace: what it logs, and what it puts on a queue, belongs to it. Without one, to the invocation's. */
export function inTrace<T>(trace: string | undefined, act: () => T): T {
  return trace === undefined ? act() : tasks.run(trace, act);
}

/** A trace that begins now (`now` in ms since 1970), in the form of X-Ray, which is not to keep it. */
export function newTrace(now: number): string {
  const seconds = Math.floor(now / 1_000)
    .toString(16)
    .padStart(8, '0');
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')};Sampled=0`;
}
