import * as v from 'valibot';
import { COMPAT, STRICT } from './chat/request.ts';
import type { Limits } from './limits/limits.ts';
import { streamShape } from './stream/shape.ts';
import type { MediaModel } from './vision/types.ts';

/** `strict`: exactly as documented. `compat`: also what common clients send and expect. */
export type Profile = 'strict' | 'compat';

const ms = v.pipe(v.number(), v.minValue(0));
const limitHeaders = v.picklist(['all', 'retry-after', 'none']);
export type LimitHeaders = v.InferOutput<typeof limitHeaders>;

/** Settings that can change while the simulator runs. */
export const settings = v.strictObject({
  lenient: v.strictObject({
    toolChoiceObject: v.boolean(),
    jsonObjectEverywhere: v.boolean(),
    nullIsAbsent: v.boolean(),
    developerRole: v.boolean(),
    unmatchedToolAnswer: v.boolean(),
    maxCompletionTokens: v.boolean(),
    choices: v.picklist(['generate', 'ignore', 'reject']),
    sentBack: v.picklist(['nothing', 'extra_content', 'reasoning_content']),
  }),
  /** `system_fingerprint: null` in whole answers, which the field's strictest client wants there, and only there. */
  fingerprint: v.boolean(),
  /**
   * The limit headers: `all` as documented; `retry-after` only that, with a 429; `none`, as many servers of the
   * format.
   */
  limitHeaders,
  /** The fields of the model list: `all` as documented; `id` only that, as many servers of the format. */
  modelFacts: v.picklist(['all', 'id']),
  /** `x-ratelimit-reset-requests` as `15s` or as `15`. */
  resetForm: v.picklist(['duration', 'seconds']),
  /** ms before each event of a stream. */
  paceMs: ms,
  /** The format of every stream. */
  shape: streamShape,
  /** For the same idempotency key with another body: the first response again, or 409. */
  idempotency: v.picklist(['replay', 'conflict']),
  /** ms that a video waits, and ms that it takes. */
  queueMs: ms,
  runMs: ms,
  /** ms a stored video is pending, then indexing. */
  indexMs: ms,
  /** The body posted to `webhook_url`. */
  webhook: v.picklist(['fal', 'status', 'empty']),
  /** How often each accepted webhook is sent. */
  webhookCopies: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** When it is sent: at the end, with the response to the submit, ten minutes after the end, or never. */
  webhookSent: v.picklist(['done', 'early', 'late', 'never']),
  /** The number of forged calls by a stranger who knows the URL except for its last part. */
  webhookForged: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** `own` ends in FAILED or CANCELLED; `completed` says COMPLETED for these too, with `error`. */
  endings: v.picklist(['own', 'completed']),
  /** The origin of the URLs in handles; by default that of the request. */
  handleOrigin: v.optional(v.string()),
  /** Speech accepts WAV only. */
  wavOnly: v.boolean(),
});

export type Settings = v.InferOutput<typeof settings>;
export const settingsChange = v.partial(settings);
export type SettingsChange = v.InferOutput<typeof settingsChange>;

export function defaults(
  profile: Profile,
  { paceMs = 0, limitHeaders: headers = 'all' }: Pick<CoreOptions, 'paceMs' | 'limitHeaders'>,
): Settings {
  return {
    lenient: profile === 'strict' ? STRICT : COMPAT,
    fingerprint: profile === 'compat',
    limitHeaders: headers,
    modelFacts: 'all',
    resetForm: 'duration',
    paceMs,
    shape: {},
    idempotency: 'replay',
    queueMs: 2_000,
    runMs: 8_000,
    indexMs: 3_000,
    webhook: 'fal',
    webhookCopies: 1,
    webhookSent: 'done',
    webhookForged: 0,
    endings: 'own',
    wavOnly: true,
  };
}

export type CoreOptions = {
  /** ms since 1970. */
  readonly clock?: (() => number) | undefined;
  readonly seed?: number | undefined;
  readonly profile?: Profile | undefined;
  /** A key that is active from the start, of user `local`. */
  readonly apiKey?: string | undefined;
  /** ms before each event of a stream. */
  readonly paceMs?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The limit headers; `all` by default. */
  readonly limitHeaders?: LimitHeaders | undefined;
  /** Ids of further models, which are like those of one without visible reasoning. */
  readonly extraModels?: readonly string[] | undefined;
  /** The video and image models. */
  readonly mediaModels?: readonly MediaModel[] | undefined;
};
