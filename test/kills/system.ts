import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Variables } from '../../infra/configuration/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TERMINATOR = new URL('terminator.js', import.meta.url).href;
/** Long, because another program may use the machine. */
const START_TIMEOUT_MS = 120_000;

/** The processes of `npm start` on a folder of its own. */
export type KilledSystem = {
  readonly api: string;
  /** Starts it. Resolves once it reports that it runs, with the duration (ms). */
  start(): Promise<number>;
  /** Whether its main process runs. */
  isRunning(): boolean;
  /** `kill -9` of the main process, which contains front, worker, queues and tables. Resolves when it has exited. */
  killAll(): Promise<void>;
  /** Terminates the thread of a function, by a part of its name such as `Worker`. Resolves with the time at which it had ended (ms since 1970). */
  killFunction(part: string): Promise<number>;
  /** `kill -9` of the relay to Discord's gateway. */
  killRelay(): void;
  /** The running relays. One that survives its main process would answer twice. */
  relays(): number;
  /** The log of its queues: one JSON object per line. */
  queueLog(): string[];
  /** The output of an exit without a kill since the last call. */
  crashes(): string[];
  /** Stops it finally, with all its processes. */
  close(): Promise<void>;
};

export async function killedSystem(data: string, variables: Variables): Promise<KilledSystem> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  let output = '';
  const crashes: string[] = [];
  const start = (): Promise<number> => {
    const startedAt = performance.now();
    const started = spawn(
      process.execPath,
      ['--import', TERMINATOR, 'infra/local/start.js', '--port', String(port), '--data', data],
      { cwd: ROOT, env: environment(variables), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    child = started;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`It did not start. ${output}`)), START_TIMEOUT_MS);
      const readOutput = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-4_000);
        if (!chunk.toString().includes('Parley is running')) return;
        clearTimeout(timer);
        resolve(performance.now() - startedAt);
      };
      started.stdout?.on('data', readOutput);
      started.stderr?.on('data', readOutput);
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
    killFunction: (part) => endThread(child, part),
    killRelay() {
      for (const pid of others()) kill(pid);
    },
    queueLog: () =>
      ['queues.log.1', 'queues.log'].flatMap((name) => {
        const path = join(data, 'logs', name);
        return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
      }),
    crashes: () => crashes.splice(0),
    relays: () => others().length,
    async close() {
      await killAll();
      for (const pid of others()) kill(pid);
    },
  };
}

/** Asks `terminator.js` in this process to end a thread. */
function endThread(child: ChildProcess | undefined, part: string): Promise<number> {
  if (!child?.connected) return Promise.resolve(Date.now());
  return new Promise((resolve) => {
    const end = (at: unknown): void => resolve(typeof at === 'number' ? at : Date.now());
    child.once('message', end);
    child.once('disconnect', end);
    child.send(part);
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited by itself.
  }
}

/** The processes with this folder in their command line: the main process, and the relay, which runs a file in it. */
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

/** No environment variable of this process configures the system. */
function environment(variables: Variables): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...variables };
}

/** A free port. The system returns to it after each kill. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
