import type { Thread } from '../../conversation/index.ts';
import type { AnyCall } from './run.ts';

/** The conversation that a call is made in: the thread, or the one that the person has in a channel outside of threads. */
export const threadHere = ({ invocation: { thread, own } }: AnyCall): Thread | undefined => thread ?? own;
