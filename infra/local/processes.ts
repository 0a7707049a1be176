import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** A process of the template that runs on: the file that deploys, and what it runs with. */
export type ProcessSpec = {
  readonly logicalId: string;
  /** The file, by its name among the assets. */
  readonly asset: string;
  /** How many of it run at once. */
  readonly count: number;
  readonly env: Readonly<Record<string, string>>;
};

/** Between an end that nobody asked for and the next start, as a container has it. */
const AGAIN_MS = 1_000;
const KILL_MS = 3_000;

/** Keeps one process running, in a folder of its own, until it is closed. */
export class LocalProcess {
  readonly #file: string;
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: (output: Readable) => void;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(file: string, directory: string, env: ProcessSpec['env'], log: (output: Readable) => void) {
    this.#file = file;
    this.#directory = directory;
    this.#env = env;
    this.#log = log;
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const child = spawn(process.execPath, [this.#file], {
      cwd: this.#directory,
      env: { ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#log(child.stdout);
    this.#log(child.stderr);
    child.once('exit', () => {
      if (!this.#closed) this.#timer = setTimeout(() => this.start(), AGAIN_MS);
    });
    // Told by 'exit' too, or not started at all: then there is nothing to keep running.
    child.once('error', () => undefined);
  }

  /** Asks it to end, and waits for that some seconds. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_MS);
    await ended;
    clearTimeout(timer);
  }
}
