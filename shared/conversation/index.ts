export * from './ids.ts';
export * from './message.ts';
export * from './task.ts';
export * from './thread.ts';
export * from './turn.ts';
export * from './prompt.ts';
export * from './window.ts';
