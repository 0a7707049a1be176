import { spawnSync } from 'node:child_process';
import type { Row } from './report-table.ts';

/** The start of bare Node (ms) when the limits were set: a slower machine has proportional limits. */
const BARE_MS = 18.5;

/** The same figure (`value` and `limit` in ms) in starts of bare Node, which took `bare` ms just now. */
export const inBareStarts = (what: string, value: number, limit: number, bare: number): Row => ({
  what: `${what}: the same in starts of bare Node`,
  value: value / bare,
  unit: 'x',
  limit: Math.round((limit / BARE_MS) * 100) / 100,
});

/** The start of bare Node on this machine (ms). */
export const bareStart = (): number => median(Array.from({ length: 15 }, () => measureStart('', {})));

/**
 * The time until a new process has run this (ms). It is killed there: a normal exit waits for the thread in which
 * Node reads its certificates after `node:tls` is loaded, which is not part of a start.
 */
export function measureStart(script: string, env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { signal } = spawnSync(process.execPath, ['-e', `${script}process.kill(process.pid,'SIGKILL')`], {
    env,
    stdio: 'ignore',
  });
  if (signal !== 'SIGKILL') throw new Error(`The process ended before it had run: ${script}`);
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
