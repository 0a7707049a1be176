export * from './answer.ts';
export * from './bury.ts';
export { DEFAULTS } from './ports.ts';
export type { Chat, ChatEvent, ChatOptions, Delivery, Deps, Log, Settings, Slots, Verdict } from './ports.ts';
export * from './happen.ts';
export * from './receive.ts';
export * from './reconcile.ts';
export * from './sweep.ts';
export * from './work.ts';
