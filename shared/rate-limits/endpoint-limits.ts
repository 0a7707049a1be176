import type { RateLimit } from './gcra.ts';

/** Requests that the upstream counts together, per key. */
export type EndpointFamily = 'chat' | 'models' | 'speech' | 'video';

/** The chat limit per upstream key, over all models and also `/v1/messages` and `/v1/responses` (interface: Limits). */
export const CHAT_LIMIT: RateLimit = { perMinute: 120, burst: 30 };

/**
 * The limits per key. Those of speech and of image-to-video are published nowhere: these are a beginning, which a
 * deployment may set and each 429 lowers (`learned`).
 */
export const ENDPOINT_LIMITS: Readonly<Record<EndpointFamily, RateLimit>> = {
  chat: CHAT_LIMIT,
  models: { perMinute: 300, burst: 300 },
  speech: { perMinute: 60, burst: 10 },
  video: { perMinute: 10, burst: 5 },
};

/** Whose limits are not published, and so are learned. */
export const LEARNING_FAMILIES: ReadonlySet<EndpointFamily> = new Set<EndpointFamily>(['speech', 'video']);

/** How far below the configured limit learning may go: a server in trouble is not its limit. */
const MIN = 0.05;
const LOWERED = 0.7;
/** What was learned is forgotten by so much an hour: the trouble may have passed. */
const RAISED_PER_HOUR = 1.1;

/** A limit as far as it was learned: the share of the configured one that holds since `atMs`. */
export type LearnedLimit = { readonly share: number; readonly atMs: number };

/** The share of the configured limit that is used now. */
export function learnedShareAt(learned: LearnedLimit | undefined, nowMs: number): number {
  if (!learned) return 1;
  const hours = Math.max(0, nowMs - learned.atMs) / 3_600_000;
  return Math.min(1, Math.max(MIN, learned.share * RAISED_PER_HOUR ** hours));
}

/** After a 429 for the key: less of the limit is used from now on. */
export const lowerLimit = (learned: LearnedLimit | undefined, nowMs: number): LearnedLimit => ({
  share: Math.max(MIN, learnedShareAt(learned, nowMs) * LOWERED),
  atMs: nowMs,
});

/** The limit as it is used now. At least one request may go back to back. */
export function learnedLimit(limit: RateLimit, learned: LearnedLimit | undefined, nowMs: number): RateLimit {
  const share = learnedShareAt(learned, nowMs);
  return { perMinute: limit.perMinute * share, burst: Math.max(1, Math.floor(limit.burst * share)) };
}
