import { createBucket } from './bucket.ts';
import type { Bucket, Rate, Taken } from './bucket.ts';
import { createWindow } from './window.ts';

export type VisionPath =
  | '/v1/images/upload'
  | '/v1/images/search'
  | '/v1/videos/upload'
  | '/v1/videos/search'
  | '/v1/clips';

/** The limits of a key. `vision` counts requests in 24 hours. */
export type Limits = {
  readonly chat: Rate;
  readonly models: Rate;
  readonly vision: Readonly<Record<VisionPath, number>>;
};

export const PUBLISHED_LIMITS: Limits = {
  chat: { perMinute: 120, burst: 30 },
  models: { perMinute: 300, burst: 300 },
  vision: {
    '/v1/images/upload': 100,
    '/v1/images/search': 100,
    '/v1/videos/upload': 50,
    '/v1/videos/search': 50,
    '/v1/clips': 10,
  },
};

export function isVisionPath(path: string): path is VisionPath {
  return Object.hasOwn(PUBLISHED_LIMITS.vision, path);
}

/** How `x-ratelimit-reset-requests` is written: as a duration (`15s`, `500ms`) or as seconds. */
export type ResetForm = 'duration' | 'seconds';

export type Accounts = {
  bucket(key: string, group: 'chat' | 'models'): Bucket;
  window(key: string, path: VisionPath): ReturnType<typeof createWindow>;
};

/** The counters of all keys; each key has its own. */
export function createAccounts(limits: Limits): Accounts {
  const buckets = new Map<string, Bucket>();
  const windows = new Map<string, ReturnType<typeof createWindow>>();
  return {
    bucket: (key, group) => remember(buckets, `${group} ${key}`, () => createBucket(limits[group])),
    window: (key, path) => remember(windows, `${path} ${key}`, () => createWindow(limits.vision[path])),
  };
}

function remember<T>(map: Map<string, T>, name: string, make: () => T): T {
  const value = map.get(name);
  if (value !== undefined) return value;
  const created = make();
  map.set(name, created);
  return created;
}

/**
 * Headers of chat and of the model list. `limit` is the rate, `remaining` the number of requests available now, at
 * most the burst.
 */
export function chatHeaders(rate: Rate, permit: Taken, form: ResetForm): Record<string, string> {
  const ms = Math.ceil(permit.resetMs);
  const duration = ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
  return {
    'x-ratelimit-limit-requests': String(rate.perMinute),
    'x-ratelimit-remaining-requests': String(permit.remaining),
    'x-ratelimit-reset-requests': form === 'seconds' ? String(ms / 1000) : duration,
  };
}

/** Headers of the vision endpoints with a daily limit: other names, and `retry-after` on each response. */
export function visionHeaders(
  limit: number,
  permit: { allowed: boolean; remaining: number; resetMs: number },
): Record<string, string> {
  const seconds = Math.ceil(permit.resetMs / 1000);
  return {
    'x-ratelimit-requests-limit': String(limit),
    'x-ratelimit-requests-remaining': String(permit.remaining),
    'x-ratelimit-requests-reset': String(seconds),
    'retry-after': permit.allowed ? '0' : String(Math.max(1, seconds)),
  };
}
