import type { Thread } from '../../domain/index.ts';
import type { InteractionRequest } from './types.ts';

/** Returns the thread of an interaction; outside of threads, the person's own conversation in the channel. */
export const getCurrentThread = ({
  interaction: { thread, ownThread },
}: InteractionRequest): Thread | undefined => thread ?? ownThread;
