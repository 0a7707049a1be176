export * from './answer.ts';
export * from './bury.ts';
export { DEFAULTS } from './ports.ts';
export type {
  Chat,
  ChatEvent,
  ChatOptions,
  Delivery,
  Deps,
  ListedModel,
  Log,
  Settings,
  Slots,
  Verdict,
} from './ports.ts';
export * from './fill-index.ts';
export * from './happen.ts';
export * from './late-writes.ts';
export * from './receive.ts';
export * from './reconcile.ts';
export * from './sweep.ts';
export { type Videos, VideoUnreachable } from './video/ports.ts';
export * from './voice/hear.ts';
export type { Ears, VoiceDeps } from './voice/ports.ts';
export * from './work.ts';
