import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Variables } from '../../infra/configuration/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TERMINATOR = new URL('terminator.js', import.meta.url).href;
/** Generous: another program may have the machine. */
const START_TIMEOUT_MS = 120_000;

/** The processes of `npm start` on a folder of its own. */
export type KilledSystem = {
  readonly api: string;
  /** Starts it. Resolves once it says that it runs, with how long that took (ms). */
  start(): Promise<number>;
  /** Whether its main process runs. */
  isRunning(): boolean;
  /** `kill -9` of the main process, in which front, worker, queues and tables are. Resolves when it has gone. */
  killAll(): Promise<void>;
  /** Ends the thread of a function: part of its name, such as `Worker`. */
  killFunction(part: string): void;
  /** `kill -9` of the relay to Discord's gateway. */
  killRelay(): void;
  /** Its relays that run. One that outlives its main process would speak beside the next. */
  relays(): number;
  /** What it said when it ended though nobody had killed it, since it was asked last. */
  crashes(): string[];
  /** Ends it for good, with all that belongs to it. */
  close(): Promise<void>;
};

export async function killedSystem(data: string, variables: Variables): Promise<KilledSystem> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  let output = '';
  const crashes: string[] = [];
  const start = (): Promise<number> => {
    const begun = performance.now();
    const started = spawn(
      process.execPath,
      ['--import', TERMINATOR, 'infra/local/start.js', '--port', String(port), '--data', data],
      { cwd: ROOT, env: environment(variables), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    child = started;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`It did not start. ${output}`)), START_TIMEOUT_MS);
      const heard = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-4_000);
        if (!chunk.toString().includes('Parley is running')) return;
        clearTimeout(timer);
        resolve(performance.now() - begun);
      };
      started.stdout?.on('data', heard);
      started.stderr?.on('data', heard);
      started.once('exit', (code, signal) => {
        clearTimeout(timer);
        if (child === started) crashes.push(`ended by itself (${code ?? signal}): ${output.slice(-1_500)}`);
        reject(new Error(`It ended while it started. ${output}`));
      });
    });
  };
  const killAll = async (): Promise<void> => {
    const doomed = child;
    child = undefined;
    if (!doomed || doomed.exitCode !== null || doomed.signalCode !== null) return;
    const ended = new Promise((resolve) => doomed.once('exit', resolve));
    doomed.kill('SIGKILL');
    await ended;
  };
  const others = (): number[] => processesIn(data).filter((pid) => pid !== child?.pid);
  return {
    api: `http://127.0.0.1:${port}`,
    start,
    isRunning: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    killAll,
    killFunction(part) {
      if (child?.connected) child.send(part);
    },
    killRelay() {
      for (const pid of others()) kill(pid);
    },
    crashes: () => crashes.splice(0),
    relays: () => others().length,
    async close() {
      await killAll();
      for (const pid of others()) kill(pid);
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Processes whose command line has this folder: the main process, and the relay, which runs a file in it. */
function processesIn(data: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandOf(pid).includes(data));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Nothing of what this process was started with decides what the system does. */
function environment(variables: Variables): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...variables };
}

/** A port that nobody uses now. The system comes back on it after each kill. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
