import type { RateLimit } from './gcra.ts';

/** Endpoints for which the upstream counts requests together, per key. */
export type EndpointFamily = 'chat' | 'models' | 'speech' | 'video';

/** The chat limit per key that the upstream documents, over all models and also for `/v1/messages` and `/v1/responses`. */
export const CHAT_LIMIT: RateLimit = { perMinute: 120, burst: 30 };

/**
 * The limits per key. The upstream does not publish the limits for speech and image-to-video: these are initial
 * values. A deployment may set others, and each 429 lowers them (see `reduceLimit`).
 */
export const ENDPOINT_LIMITS: Readonly<Record<EndpointFamily, RateLimit>> = {
  chat: CHAT_LIMIT,
  models: { perMinute: 300, burst: 300 },
  speech: { perMinute: 60, burst: 10 },
  video: { perMinute: 10, burst: 5 },
};

/** Families without published limits: their limits are learned. */
export const LEARNING_FAMILIES: ReadonlySet<EndpointFamily> = new Set<EndpointFamily>(['speech', 'video']);

/** The lowest learned share of the configured limit: a server that fails is not at its limit. */
const MIN_LEARNED_SHARE = 0.05;
const LOWERING_FACTOR = 0.7;
/** How fast the share rises again: the cause of the 429 may be gone. */
const RAISING_FACTOR_PER_HOUR = 1.1;

/** A learned limit: the share of the configured limit that applies since `atMs`. */
export type LearnedLimit = { readonly share: number; readonly atMs: number };

/** Returns the share of the configured limit at this time. */
export function getLearnedShare(learned: LearnedLimit | undefined, nowMs: number): number {
  if (!learned) return 1;
  const hours = Math.max(0, nowMs - learned.atMs) / 3_600_000;
  return Math.min(1, Math.max(MIN_LEARNED_SHARE, learned.share * RAISING_FACTOR_PER_HOUR ** hours));
}

/** Lowers the share after a 429. */
export const reduceLimit = (learned: LearnedLimit | undefined, nowMs: number): LearnedLimit => ({
  share: Math.max(MIN_LEARNED_SHARE, getLearnedShare(learned, nowMs) * LOWERING_FACTOR),
  atMs: nowMs,
});

/** Returns the learned limit. The burst is at least one request. */
export function getLearnedLimit(
  limit: RateLimit,
  learned: LearnedLimit | undefined,
  nowMs: number,
): RateLimit {
  const share = getLearnedShare(learned, nowMs);
  return { perMinute: limit.perMinute * share, burst: Math.max(1, Math.floor(limit.burst * share)) };
}
