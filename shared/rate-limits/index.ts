export * from './sync-with-headers.ts';
export * from './breaker.ts';
export * from './endpoint-limits.ts';
export * from './gcra.ts';
export * from './fair-queue.ts';
export * from './priority-classes.ts';
export * from './fair-share-weight.ts';
export * from './rolling-window.ts';
