import type { Thread } from '../../domain/index.ts';
import type { InteractionRequest } from './types.ts';

/** Returns the thread of an interaction; outside of threads, the person's own conversation in the channel. */
export const currentThread = ({ interaction: { thread, own } }: InteractionRequest): Thread | undefined =>
  thread ?? own;
