import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';

/** The locks that this program holds. After a full disk the process replaces its program, and keeps its id and its start time. */
const ownLocks = new Set<string>();

/**
 * Locks the data folder for this process and returns the unlock function. The lock of a process that no longer exists is
 * taken over at once. Throws StartupError while another process has the lock.
 *
 * Not `proper-lockfile`: it detects a dead process by the age of the lock, at least 2 s. `npm start` after a kill would have
 * to wait for that, and a process that is busy or suspended for longer would lose its lock.
 */
export function lockFolder(directory: string): () => void {
  const file = join(directory, 'lock');
  const mine = `${process.pid} ${getStartTime(process.pid)} ${randomUUID()}`;
  if (!tryLock(file, mine)) {
    const holder = read(file);
    if (holder !== undefined && isAlive(holder)) throw createInUseError(directory, holder);
    removeStaleLock(file, holder);
    if (!tryLock(file, mine)) throw createInUseError(directory, read(file) ?? '');
  }
  ownLocks.add(mine);
  return () => {
    ownLocks.delete(mine);
    if (read(file) === mine) unlinkSync(file);
  };
}

/** A hard link is created atomically with its content, so that nobody reads an empty lock. */
function tryLock(file: string, content: string): boolean {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, content, { mode: 0o600 });
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    unlinkSync(own);
  }
}

/** Removes a stale lock; restores a lock that another process created in the meantime. */
function removeStaleLock(file: string, dead: string | undefined): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const lockOfOther = read(aside);
  if (lockOfOther !== dead && lockOfOther !== undefined) tryLock(file, lockOfOther);
  unlinkSync(aside);
}

/** Process ids are reused, in a container even at once, so the start time is compared too. */
function isAlive(holder: string): boolean {
  const [number, started] = holder.split(' ');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return ownLocks.has(holder);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  // Where no start time was known, the number alone counts.
  return started === '-' || getStartTime(pid) === started;
}

/** What a system tells of a process. Linux has `stat`, macOS has `ps`. */
export type ProcessSources = {
  readonly stat: (pid: number) => string | undefined;
  readonly ps: (pid: number) => string | undefined;
};

const SOURCES: ProcessSources = {
  stat: (pid) => read(`/proc/${pid}/stat`),
  ps(pid) {
    if (process.platform === 'linux') return undefined;
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { error, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env,
    });
    return error === undefined ? stdout : undefined;
  },
};

/**
 * Returns the start time of a process without blanks: in ticks since boot, field 22 of its stat, or as `ps` prints it. `-` if unknown, and
 * for a zombie process, which is never collected in a container without init.
 */
export function getStartTime(pid: number, { stat: readStat, ps }: ProcessSources = SOURCES): string {
  const stat = readStat(pid);
  if (stat === undefined) return ps(pid)?.trim().replaceAll(/\s+/gu, '_') || '-';
  const [state, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (state === 'Z' ? undefined : more[18]) ?? '-';
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function createInUseError(directory: string, holder: string): StartupError {
  const [pid = '?'] = holder.split(' ');
  return new StartupError(
    `Another Parley (process ${pid}) is running on the data folder ${directory}. Stop it, or choose another folder with --data.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
