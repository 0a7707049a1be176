import { mkdirSync, statfsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { StartupError } from '../startup-error.ts';

const MB = 1024 * 1024;
/** With less free disk space, no new requests are accepted: running work needs the rest. */
export const MIN_FREE_BYTES = 32 * MB;
/** Free disk space at which requests are accepted again; higher than the minimum to avoid flapping. */
const RESUME_FREE_BYTES = 40 * MB;
const POLL_INTERVAL_MS = 1_000;

/** Returns the bytes that this user may still write to the disk of a folder. Throws if the folder does not exist. */
function getFreeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

export type DiskSpace = {
  /** Whether there is too little space for new requests. Queries the system each time, which takes microseconds. */
  readonly isLow: () => boolean;
  /** Resolves when there is enough space. */
  readonly waitForSpace: (signal?: AbortSignal) => Promise<void>;
};

/** Monitors the disk of the data folder. Reports through `say` when it becomes full and when it has space again. */
export function createDiskSpace(
  directory: string,
  say: (line: string) => void,
  free: () => number = () => getFreeBytes(directory),
): DiskSpace {
  let wasLow = false;
  const isLow = (): boolean => {
    const left = free();
    const isNowLow = left < (wasLow ? RESUME_FREE_BYTES : MIN_FREE_BYTES);
    if (isNowLow !== wasLow) say(isNowLow ? formatFullMessage(directory, left) : RESUMED_MESSAGE);
    wasLow = isNowLow;
    return isNowLow;
  };
  const enough = async (signal?: AbortSignal): Promise<void> => {
    while (isLow()) await wait(POLL_INTERVAL_MS, undefined, { signal });
  };
  return { isLow, waitForSpace: enough };
}

const RESUMED_MESSAGE = 'There is room on the disk again: Parley goes on.';

const formatFullMessage = (directory: string, left: number): string =>
  `The disk with ${directory} is full: ${Math.floor(left / MB)} MB are left. Parley takes no questions until there are ${
    RESUME_FREE_BYTES / MB
  } MB; nothing that it has taken is lost. Make room, or stop it and choose another folder with --data.`;

/** Creates the data folder and waits for free space. Rejects with StartupError if it cannot be created. */
export async function createDataFolder(
  directory: string,
  say: (line: string) => void = () => {},
): Promise<DiskSpace> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new StartupError(`The data folder ${directory} cannot be created: ${why}`);
  }
  const space = createDiskSpace(directory, say);
  await space.waitForSpace();
  return space;
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether an error means that the disk is full. LevelDB's errors say it only in the message. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && DISK_FULL_CODES.has(error.code)) return true;
  if (/No space left on device|Disk quota exceeded|File too large/u.test(error.message)) return true;
  return isDiskFull(error.cause);
}
