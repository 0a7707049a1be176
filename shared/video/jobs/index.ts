export * from './job.ts';
export * from './media-models.ts';
export * from './polls.ts';
export * from './result.ts';
export * from './result-file.ts';
export * from './state.ts';
