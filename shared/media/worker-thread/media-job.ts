import * as v from 'valibot';
import type { ChunkOptions } from '../decode/chunk-collector.ts';
import type { MediaErrorKind, SpeechFormat } from '../media-events.ts';

const bytes = v.instance(Uint8Array);
export const mediaJobSchema = v.variant('kind', [
  v.object({
    kind: v.literal('decode'),
    bytes,
    firstChunk: v.number(),
    maxMs: v.number(),
    pendingBuffer: v.optional(v.instance(SharedArrayBuffer)),
  }),
  v.object({ kind: v.literal('encode'), bytes, format: v.picklist(['ogg', 'mp3']) }),
]);

/** The job of the thread. */
export type MediaJob =
  | ({ readonly kind: 'decode'; readonly bytes: Uint8Array } & ChunkOptions)
  | { readonly kind: 'encode'; readonly bytes: Uint8Array; readonly format: SpeechFormat };

/** The reply of the thread to each message. */
export type ThreadReply<T> =
  | { readonly type: 'next'; readonly value: T }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly kind: MediaErrorKind; readonly details: string };
