import type { History } from '../../shared/platforms/ports/index.ts';

/** Of a place where nothing was said. */
export const NO_HISTORY: History = { messages: [], unreadThreads: 0, withoutText: 0 };
