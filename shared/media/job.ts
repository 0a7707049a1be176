import * as z from 'zod/mini';
import type { Listen } from './collect.ts';
import type { Refusal, SpokenAs } from './events.ts';

const bytes = z.instanceof(Uint8Array);
export const job = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('listen'),
    bytes,
    from: z.number(),
    mostMs: z.number(),
    hold: z.optional(z.instanceof(SharedArrayBuffer)),
  }),
  z.object({ kind: z.literal('speak'), bytes, as: z.enum(['ogg', 'mp3']) }),
]);

/** What the thread is given. */
export type Job =
  | ({ readonly kind: 'listen'; readonly bytes: Uint8Array } & Listen)
  | { readonly kind: 'speak'; readonly bytes: Uint8Array; readonly as: SpokenAs };

/** What it answers each time it is asked. */
export type Answer<T> =
  | { readonly type: 'next'; readonly value: T }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly kind: Refusal; readonly what: string };
