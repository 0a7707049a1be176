export * from './adopt.ts';
export * from './breaker.ts';
export * from './families.ts';
export * from './gcra.ts';
export * from './fair-queue.ts';
export * from './priority.ts';
export * from './weight.ts';
export * from './window.ts';
