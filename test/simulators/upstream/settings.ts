import * as v from 'valibot';
import { COMPAT, STRICT } from './chat/request.ts';
import type { Limits } from './limits/limits.ts';
import { streamShape } from './stream/shape.ts';
import type { MediaModel } from './vision/types.ts';

/** `strict`: the document to the letter. `compat`: also what the field's common clients send and expect. */
export type Profile = 'strict' | 'compat';

const ms = v.pipe(v.number(), v.minValue(0));
const limitHeaders = v.picklist(['all', 'retry-after', 'none']);
export type LimitHeaders = v.InferOutput<typeof limitHeaders>;

/** What can be changed while the simulator runs. */
export const settings = v.strictObject({
  lenient: v.strictObject({
    toolChoiceObject: v.boolean(),
    jsonObjectEverywhere: v.boolean(),
    nullIsAbsent: v.boolean(),
    developerRole: v.boolean(),
    unmatchedToolAnswer: v.boolean(),
    maxCompletionTokens: v.boolean(),
  }),
  /** `system_fingerprint: null` in whole answers, which the field's strictest client wants there, and only there. */
  fingerprint: v.boolean(),
  /**
   * What answers say of limits: `all` as documented; `retry-after` that alone, with a 429; `none` nothing, as many
   * servers of the format do.
   */
  limitHeaders,
  /** What the list of models says of each: `all` as documented; `id` that alone, as many servers of the format do. */
  modelFacts: v.picklist(['all', 'id']),
  /** `x-ratelimit-reset-requests` as `15s` or as `15`. */
  resetForm: v.picklist(['duration', 'seconds']),
  /** ms before each event of a stream. */
  paceMs: ms,
  /** How every stream is written. */
  shape: streamShape,
  /** Same idempotency key, another body: the first answer again, or 409. */
  idempotency: v.picklist(['replay', 'conflict']),
  /** ms a video waits, and ms it is being made. */
  queueMs: ms,
  runMs: ms,
  /** ms a stored video is pending, then indexing. */
  indexMs: ms,
  /** The body posted to `webhook_url`. */
  webhook: v.picklist(['fal', 'status', 'empty']),
  /** How often each webhook is sent though it was taken. */
  webhookCopies: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** When it is sent: at the end, with the answer to the submit, ten minutes after the end, or not at all. */
  webhookSent: v.picklist(['done', 'early', 'late', 'never']),
  /** How many calls somebody makes besides who has seen the address but for its last part. */
  webhookForged: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** `own` ends in FAILED or CANCELLED; `completed` says COMPLETED for these too, with `error`. */
  endings: v.picklist(['own', 'completed']),
  /** The origin of the addresses in handles; without it, the one the request came to. */
  handleOrigin: v.optional(v.string()),
  /** Speech takes WAV alone. */
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
  /** What answers say of limits; `all` unless told. */
  readonly limitHeaders?: LimitHeaders | undefined;
  /** The models that make videos and pictures. */
  readonly mediaModels?: readonly MediaModel[] | undefined;
};
