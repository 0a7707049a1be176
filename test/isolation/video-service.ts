import { createHash } from 'node:crypto';
import { createVideoCallback } from '../../functions/composition/video/video-callback.ts';
import type { Keys } from '../../functions/composition/models/api-keys.ts';
import type { Videos } from '../../shared/ports/index.ts';
import type { HttpResponse } from '../../shared/runtime/http.ts';
import type { Queue } from '../../shared/aws/sqs-queue.ts';
import { Jobs, findTargetMessage, hashSecret, type TurnsConfig } from '../../shared/storage/index.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { bytesOf, VIDEO_FILE, inParts } from '../video/video-file.ts';
import { ACTOR } from './access-checker.ts';
import type { Actor } from './access-model.ts';
import type { Asked } from './model-services.ts';

/** A requested video: the callback URL, and its requester. */
export type MadeVideo = { readonly address: string; readonly actor: Actor };

const PUBLIC_URL = 'https://bot.example.com';
const SECRET_CHARACTERS = 43;
const PICTURE_MODEL = 'model-a-picture';
const MODELS = [
  { name: 'model-a-video', operation: 'image-to-video', field: 'image_url', price: '0.0001' },
  { name: 'model-a-film', operation: 'text-to-video', field: 'image_url', price: '0.0001' },
  { name: PICTURE_MODEL, operation: 'text-to-image', field: 'image_url', price: '0.0001' },
] as const;
const PICTURE = Buffer.from(PICTURES.png, 'base64');

/** The stated size of a large video: more than the platforms accept, so that the bot posts a link to it. */
const LARGE_BYTES = 2_000_000_000;
/** Whether the video of a job is large: about every fourth. */
const isLarge = (key: string): boolean => /[0-3](?:\.[^.]*)?$/u.test(key);

/** The secret in the callback URL of a job. */
export const secretOf = (job: string): string =>
  createHash('sha256').update(job).digest('base64url').padEnd(SECRET_CHARACTERS, '_');

/** A service whose videos contain the text of their prompts, and a bucket, in memory. */
export class VideoService {
  readonly finished: MadeVideo[] = [];
  readonly #onRequest: (one: Asked) => void;
  readonly #films = new Map<string, Buffer>();
  readonly #handles = new Map<string, string>();
  readonly #files = new Map<string, Buffer>();

  constructor(onRequest: (one: Asked) => void) {
    this.#onRequest = onRequest;
  }

  /** The video context of the worker. */
  videos(store: TurnsConfig, keys: Keys): Videos {
    return {
      enabled: true,
      jobs: new Jobs(store),
      vision: (name) => this.#vision(() => keys.value(name, false)),
      keyOf: async (home) => (await keys.names(home))[0],
      rejectKey: keys.recordRejection,
      media: this.#bucket(),
      fetch: async (address) => {
        const film = this.#films.get(address) ?? VIDEO_FILE;
        return { bytes: film.length, mimetype: 'video/mp4', content: inParts(film) };
      },
      models: () => Promise.resolve(MODELS),
      animates: true,
      library: [],
      pictureAs: 'url',
      days: store.days,
      secretOf: async (id) => secretOf(id),
      hashOf: hashSecret,
      callbackAddress: (id, secret) => `${PUBLIC_URL}/callbacks/video/${id}/${secret}`,
      findTargetMessage: (call, place) => findTargetMessage(store, call, place),
      submissionKey: (by, requestKey) => `video-${JSON.stringify([by, requestKey])}`,
    };
  }

  #vision(key: () => Promise<string>): ReturnType<Videos['vision']> {
    return {
      submit: async ({ model, input, webhookUrl = '', idempotencyKey = '' }) => {
        const words = JSON.stringify(input);
        const handle = this.#handles.get(idempotencyKey);
        if (handle === undefined) {
          this.#onRequest({ key: await key(), text: words });
          const actor = ACTOR.getStore();
          if (actor) this.finished.push({ address: webhookUrl, actor });
        }
        const requestId = handle ?? `request-${this.#handles.size + 1}`;
        this.#handles.set(idempotencyKey, requestId);
        const at = `https://vision.example.com/${requestId}`;
        // A picture without the text of its prompt: its metadata is removed.
        const isPicture = model === PICTURE_MODEL;
        this.#films.set(`${at}.mp4`, isPicture ? PICTURE : Buffer.concat([VIDEO_FILE, Buffer.from(words)]));
        return {
          requestId,
          status: 'IN_QUEUE',
          statusUrl: `${at}/status`,
          responseUrl: at,
          cancelUrl: `${at}/cancel`,
        };
      },
      list: () => Promise.resolve([]),
      call: () => Promise.resolve({}),
      status: async () => ({ state: 'done', status: 'COMPLETED' }),
      result: async ({ responseUrl }) => ({
        state: 'done',
        status: 'COMPLETED',
        value: { output: { video: { url: `${responseUrl}.mp4` } } },
      }),
      cancel: async () => ({ state: 'cancelled', status: 'CANCELLED' }),
      video: () => Promise.reject(new Error('no videos are kept there')),
    };
  }

  #bucket(): Videos['media'] {
    return {
      presignedUrl: (key) => `https://bucket.example.com/${key}`,
      put: async (key, { content }) => void this.#files.set(key, await bytesOf(content)),
      get: async (key) => {
        const file = this.#files.get(key);
        const bytes = isLarge(key) ? LARGE_BYTES : (file?.length ?? 0);
        return file && { bytes, mimetype: 'video/mp4', content: inParts(file) };
      },
      remove: async (key) => void this.#files.delete(key),
    };
  }
}

/** The front for callbacks. */
export function callbackFront(store: TurnsConfig, queue: Queue): (event: unknown) => Promise<HttpResponse> {
  return createVideoCallback({ jobs: new Jobs(store), queue, now: store.now, log: () => undefined });
}

/** The job and the secret in a callback URL. */
export function partsOf({ address }: MadeVideo): { readonly job: string; readonly secret: string } {
  const [job = '', secret = ''] = new URL(address).pathname.split('/').slice(-2);
  return { job, secret };
}
