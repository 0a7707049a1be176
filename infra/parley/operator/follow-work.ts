import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../output/format.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import type { Terminal } from '../terminal.ts';
import type { SystemAccess } from './open-system.ts';

/** `--no-wait` and `--timeout`. */
export type FollowOptions = { readonly wait: boolean; /** ms */ readonly timeout: number };

/** Time for a command. Tests pass their own. */
export type CommandClock = { readonly now: () => number; readonly wait: (ms: number) => Promise<void> };
export const COMMAND_CLOCK: CommandClock = { now: Date.now, wait: (ms) => sleep(ms) };

/** AWS allows few searches of logs per second; the files of this machine are read at once. */
const POLL_MS = { local: 500, deployment: 4_000 } as const;
const PROGRESS_MS = 15_000;

/** Adds `--no-wait` and `--timeout`, with its default in ms. */
export const addFollowOptions = (command: Command, timeoutMs: number): Command =>
  command
    .option('--no-wait', 'only queue it, and do not wait until it is done')
    .option('--timeout <time>', 'how long to wait, such as 30s or 10m', parseTimeOption, timeoutMs);

/**
 * Calls `check` every few seconds until it resolves with true or the time is over, and reports `progress` when it changes and every 15
 * seconds. Resolves with whether it is done. Ends at the error of `check`.
 */
export async function followWork(
  check: () => Promise<boolean>,
  progress: () => string,
  { timeout, kind }: Pick<FollowOptions, 'timeout'> & { readonly kind: SystemAccess['kind'] },
  { report }: Pick<Terminal, 'report'>,
  { now, wait }: CommandClock,
): Promise<boolean> {
  const startMs = now();
  let reported: { readonly text: string; readonly at: number } | undefined;
  for (;;) {
    if (await check()) return true;
    const passedMs = now() - startMs;
    if (passedMs >= timeout) return false;
    const text = progress();
    if (text !== reported?.text || now() - reported.at >= PROGRESS_MS) {
      report(
        `${text} (${formatDuration(passedMs)} of at most ${formatDuration(timeout)}; Ctrl+C stops waiting, not the work)`,
      );
      reported = { text, at: now() };
    }
    await wait(Math.min(POLL_MS[kind], timeout - passedMs));
  }
}
