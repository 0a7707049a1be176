export * from './answer-state.ts';
export * from './live-reply.ts';
export * from './pacer.ts';
export * from './publish.ts';
export * from './transport.ts';
export * from './steps.ts';
