import type { Journal } from '../../../../../infra/local/emulator/sqs/journal.ts';

/** A journal without storage, for queues that need not survive the process. */
export const NO_JOURNAL: Journal = { append: () => {}, rewrite: () => {}, lines: () => 0, close: () => {} };
