/** A model that says that it is full is left alone for a while, then one request tries it. */
export type Breaker = {
  /** How often in a row it was full. */
  readonly fails: number;
  /** Nobody asks before this (ms since 1970). */
  readonly untilMs: number;
};

const FIRST_WAIT_MS = 1_000;
/** Short, since people wait: once there is room again, the next question begins within three seconds. */
const MAX_WAIT_MS = 2_000;
/** Whoever tries a full model holds the others back for so long at most; a model that is full says so sooner. */
export const PROBE_TIMEOUT_MS = 5_000;

export const CLOSED: Breaker = { fails: 0, untilMs: 0 };

/**
 * After the model was full once more: it is left alone for twice as long as before, at most two seconds, drawn from the
 * upper half so that the workers do not come back together; never for less than it asks for itself. `random` in [0, 1).
 */
export function openBreaker(before: Breaker, nowMs: number, retryAfterMs: number, random: number): Breaker {
  const fails = before.fails + 1;
  const most = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (fails - 1));
  const wait = Math.max(retryAfterMs, most / 2 + (random * most) / 2);
  return { fails, untilMs: Math.ceil(nowMs + wait) };
}

/** `open`: leave it alone; `half-open`: one may try; `closed`: ask. */
export function stateOf({ fails, untilMs }: Breaker, nowMs: number): 'open' | 'half-open' | 'closed' {
  if (fails === 0) return 'closed';
  return nowMs < untilMs ? 'open' : 'half-open';
}

/** The models to ask, in order, when some are full: those that may be asked first. Nobody is left out: all may be full. */
export function modelChain(models: readonly string[], full: ReadonlySet<string>): readonly string[] {
  return [...models.filter((model) => !full.has(model)), ...models.filter((model) => full.has(model))];
}
