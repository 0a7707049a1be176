import type { Heard, Refusal } from './events.ts';
import type { Listen } from './sound.ts';

/** What the thread is given. */
export type Job = Listen & { readonly bytes: Uint8Array };

/** What it answers each time it is asked. */
export type Answer =
  | Heard
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly kind: Refusal; readonly what: string };
