import * as z from 'zod/mini';
import type { Heard, Refusal } from './events.ts';
import type { Listen } from './sound.ts';

export const job = z.object({ bytes: z.instanceof(Uint8Array), from: z.number(), mostMs: z.number() });

/** What the thread is given. */
export type Job = Listen & { readonly bytes: Uint8Array };

/** What it answers each time it is asked. */
export type Answer =
  | Heard
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly kind: Refusal; readonly what: string };
