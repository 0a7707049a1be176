import { SEND_TIMEOUT_MS, type RollingWindow } from '../../shared/rate-limits/index.ts';
import { type Dynamo, RollingWindows } from '../../shared/storage/index.ts';
import { type VISION_LIMITS, getWindow } from '../../shared/upstream/vision/request-windows.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from './simulated-time.ts';

const T0 = 1_700_000_000_000;
const DAY_MS = 24 * 3_600_000;

/** The limits of the vision service. */
export const DAY_WINDOWS: Readonly<Record<keyof typeof VISION_LIMITS, RollingWindow>> = {
  'images/upload': getWindow('images/upload'),
  'images/search': getWindow('images/search'),
  'videos/upload': getWindow('videos/upload'),
  'videos/search': getWindow('videos/search'),
  clips: getWindow('clips'),
};
const WORKERS = 6;

/**
 * Requests to one rolling window through several workers, on a slow table, with clock skew and slow requests. Returns
 * the number of permits, and the maximum number of arrivals within any 24 hours.
 */
export async function rolling(
  seed: number,
  window: RollingWindow,
  arrivals: number,
): Promise<{ readonly granted: number; readonly maxInWindow: number }> {
  const random = createSeededRandom(seed);
  const clock = new SimulatedTime(T0);
  const inner = createMemoryDynamo();
  const late = async <T>(call: () => Promise<T>): Promise<T> => {
    await clock.sleep(random() * 500);
    const result = await call();
    await clock.sleep(random() * 500);
    return result;
  };
  const dynamo: Dynamo = {
    ...inner,
    get: (input) => late(() => inner.get(input)),
    update: (input) => late(() => inner.update(input)),
  };
  const workers = Array.from({ length: WORKERS }, () => {
    const skew = (random() - 0.5) * 1_000;
    const now = (): number => Math.floor(clock.now + skew);
    return new RollingWindows({ dynamo, table: 'tokens', now, random });
  });
  const sent: number[] = [];
  let open = 0;
  const one = async (worker: RollingWindows | undefined): Promise<void> => {
    open += 1;
    const decision = await worker?.take('window', window);
    if (decision?.granted) sent.push(clock.now + (random() * SEND_TIMEOUT_MS) / 2);
    open -= 1;
  };
  let left = arrivals;
  const next = (): void => {
    if (left === 0) return;
    left -= 1;
    void one(workers[Math.floor(random() * WORKERS)]);
    // Sometimes many arrive at once.
    const gap = random() < 0.3 ? random() * 50 : -Math.log(1 - random()) * (DAY_MS / window.requests / 20);
    clock.at(clock.now + gap, next);
  };
  next();
  await clock.run(() => left === 0 && open === 0);
  return { granted: sent.length, maxInWindow: mostWithin(sent, window.windowMs) };
}

/** The maximum number within any period of that length. */
function mostWithin(moments: readonly number[], ms: number): number {
  const sorted = moments.toSorted((a, b) => a - b);
  let largest = 0;
  let first = 0;
  for (const [at, moment] of sorted.entries()) {
    while ((sorted[first] ?? moment) <= moment - ms) first += 1;
    largest = Math.max(largest, at - first + 1);
  }
  return largest;
}
