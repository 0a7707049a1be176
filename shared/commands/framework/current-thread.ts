import type { Thread } from '../../domain/index.ts';
import type { InteractionRequest } from './types.ts';

/** Returns the thread of an interaction; outside of threads, the person's own conversation in the channel. */
export const currentThread = ({
  interaction: { thread, ownThread },
}: InteractionRequest): Thread | undefined => thread ?? ownThread;
