import { mkdirSync, statfsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { StartupError } from '../startup-error.ts';

const MB = 1024 * 1024;
/** With less than this left on the disk nothing new is taken in: what is under way needs room to end. */
export const MIN_FREE_BYTES = 32 * MB;
/** So much has to be left before anything is taken in again: not at once where the disk is about to be full. */
const RESUME_FREE_BYTES = 40 * MB;
const POLL_INTERVAL_MS = 1_000;

/** The bytes that this user may still write to the disk of a folder. Throws where the folder is not there. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

export type DiskSpace = {
  /** Whether too little is left to take in anything new. Asks the system each time, which takes microseconds. */
  readonly isLow: () => boolean;
  /** Resolves once there is room again. */
  readonly enough: (signal?: AbortSignal) => Promise<void>;
};

/** Watches the disk of the data folder; `say` is told when it becomes full, and when it no longer is. */
export function diskSpace(
  directory: string,
  say: (line: string) => void,
  free: () => number = () => freeBytes(directory),
): DiskSpace {
  let low = false;
  const isLow = (): boolean => {
    const left = free();
    const now = left < (low ? RESUME_FREE_BYTES : MIN_FREE_BYTES);
    if (now !== low) say(now ? full(directory, left) : GOES_ON);
    low = now;
    return low;
  };
  const enough = async (signal?: AbortSignal): Promise<void> => {
    while (isLow()) await wait(POLL_INTERVAL_MS, undefined, { signal });
  };
  return { isLow, enough };
}

const GOES_ON = 'There is room on the disk again: Parley goes on.';

const full = (directory: string, left: number): string =>
  `The disk with ${directory} is full: ${Math.floor(left / MB)} MB are left. Parley takes no questions until there are ${
    RESUME_FREE_BYTES / MB
  } MB; nothing that it has taken is lost. Make room, or stop it and choose another folder with --data.`;

/** Makes the data folder, and waits until there is room on its disk. Rejects with StartupError where it cannot be made. */
export async function folderWithRoom(
  directory: string,
  say: (line: string) => void = () => {},
  free?: () => number,
): Promise<DiskSpace> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new StartupError(`The data folder ${directory} cannot be made: ${why}`);
  }
  const space = diskSpace(directory, say, free);
  await space.enough();
  return space;
}

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether something failed because nothing more can be written. The table's own error says it in words alone. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && DISK_FULL.has(error.code)) return true;
  if (/No space left on device|Disk quota exceeded|File too large/u.test(error.message)) return true;
  return isDiskFull(error.cause);
}
