export * from './job.ts';
export * from './models.ts';
export * from './polls.ts';
export * from './result.ts';
export * from './state.ts';
