export * from './job.ts';
export * from './video-models.ts';
export * from './polls.ts';
export * from './result.ts';
export * from './state.ts';
