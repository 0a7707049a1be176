import * as v from 'valibot';
import type { Listen } from './collect.ts';
import type { Refusal, SpokenAs } from './events.ts';

const bytes = v.instance(Uint8Array);
export const job = v.variant('kind', [
  v.object({
    kind: v.literal('listen'),
    bytes,
    from: v.number(),
    mostMs: v.number(),
    hold: v.optional(v.instance(SharedArrayBuffer)),
  }),
  v.object({ kind: v.literal('speak'), bytes, as: v.picklist(['ogg', 'mp3']) }),
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
