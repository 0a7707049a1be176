import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';

/**
 * Takes the data folder for this process and returns how to give it back. A lock whose process is gone (killed, or
 * the machine restarted) is taken over. Throws StartupError while another process has the folder.
 */
export function lockFolder(directory: string): () => void {
  const file = join(directory, 'lock');
  const mine = `${process.pid} ${startOf(process.pid)} ${randomUUID()}`;
  if (!tryTake(file, mine)) {
    const holder = read(file);
    if (holder !== undefined && isAlive(holder)) throw inUse(directory, holder);
    setAside(file, holder);
    if (!tryTake(file, mine)) throw inUse(directory, read(file) ?? '');
  }
  return () => {
    if (read(file) === mine) unlinkSync(file);
  };
}

/** A link is made at once and with its content, so that nobody reads an empty lock. */
function tryTake(file: string, content: string): boolean {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, content, { mode: 0o600 });
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    unlinkSync(own);
  }
}

/** Removes a dead lock; puts back what someone else has taken in the meantime. */
function setAside(file: string, dead: string | undefined): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  const taken = read(aside);
  if (taken !== dead && taken !== undefined) tryTake(file, taken);
  unlinkSync(aside);
}

/** A process number is used again some day, in a container even at once; the time it started is not. */
function isAlive(holder: string): boolean {
  const [number, started] = holder.split(' ');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  return startOf(pid) === started;
}

/**
 * When a process started, in ticks since boot: field 22 of its stat. `-` where the system does not tell, and for one that
 * was killed and not collected yet: in a container without an init nobody ever does.
 */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  const [state, ...more] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return (state === 'Z' ? undefined : more[18]) ?? '-';
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function inUse(directory: string, holder: string): StartupError {
  const [pid = '?'] = holder.split(' ');
  return new StartupError(
    `Another Parley (process ${pid}) is running on the data folder ${directory}. Stop it, or choose another folder with --data.`,
  );
}

function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
