import type { Thread } from '../../domain/index.ts';
import type { AnyPayload } from './types.ts';

/** The conversation that a call is made in: the thread, or the one that the person has in a channel outside of threads. */
export const currentThread = ({ invocation: { thread, own } }: AnyPayload): Thread | undefined =>
  thread ?? own;
