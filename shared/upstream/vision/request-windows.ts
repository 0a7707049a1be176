import type { RequestWindows } from '../config.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Requests per key and rolling 24 hours, from the interface's documentation. */
export const VISION_LIMITS = {
  'images/upload': 100,
  'images/search': 100,
  'videos/upload': 50,
  'videos/search': 50,
  clips: 10,
} as const satisfies Record<string, number>;

export type VisionEndpoint = keyof typeof VISION_LIMITS;

/** Returns the window of an endpoint. */
export function getWindow(name: VisionEndpoint): { readonly requests: number; readonly windowMs: number } {
  return { requests: VISION_LIMITS[name], windowMs: DAY_MS };
}

/** Windows in the memory of this process: correct for one process with one key. */
export function createMemoryWindows(now: () => number): RequestWindows {
  const requestTimes = new Map<string, number[]>();
  return {
    take: async (endpoint, { requests, windowMs }) => {
      const requestedAt = now();
      const recent = (requestTimes.get(endpoint) ?? []).filter((time) => time > requestedAt - windowMs);
      requestTimes.set(endpoint, recent);
      const oldest = recent[0];
      if (recent.length >= requests && oldest !== undefined) {
        return { granted: false, retryAfterMs: oldest + windowMs - requestedAt };
      }
      recent.push(requestedAt);
      return { granted: true };
    },
  };
}
