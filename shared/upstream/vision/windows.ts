import type { Windows } from '../config.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Requests per key and rolling 24 hours, as the interface gives them. */
export const VISION_LIMITS = {
  'images/upload': 100,
  'images/search': 100,
  'videos/upload': 50,
  'videos/search': 50,
  clips: 10,
} as const satisfies Record<string, number>;

export type VisionEndpoint = keyof typeof VISION_LIMITS;

/** The window of an endpoint. */
export function windowOf(name: VisionEndpoint): { readonly requests: number; readonly windowMs: number } {
  return { requests: VISION_LIMITS[name], windowMs: DAY_MS };
}

/** Windows in this process's memory: right for one process with one key, and lost with it. */
export function memoryWindows(now: () => number): Windows {
  const taken = new Map<string, number[]>();
  return {
    take: async (endpoint, { requests, windowMs }) => {
      const at = now();
      const recent = (taken.get(endpoint) ?? []).filter((time) => time > at - windowMs);
      taken.set(endpoint, recent);
      const oldest = recent[0];
      if (recent.length >= requests && oldest !== undefined) {
        return { granted: false, retryAfterMs: oldest + windowMs - at };
      }
      recent.push(at);
      return { granted: true };
    },
  };
}
