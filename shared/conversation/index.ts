export * from './ids.ts';
export * from './message.ts';
export * from './task.ts';
export * from './thread.ts';
export * from './turn.ts';
