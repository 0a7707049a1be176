import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A process of the template that runs on: the file that deploys, and what it runs with. */
export type ProcessSpec = {
  readonly logicalId: string;
  /** Its files, by their names: each by its own name among the assets. `index.js` is what is run. */
  readonly files: Readonly<Record<string, string>>;
  /** How many of it run at once. */
  readonly count: number;
  readonly env: Readonly<Record<string, string>>;
  /** Without Discord it has nothing to do. */
  readonly needsDiscord: boolean;
};

/** Between an end that nobody asked for and the next start, as a container has it. */
const AGAIN_MS = 1_000;
const KILL_MS = 3_000;

/** Keeps one process running, in a folder of its own, until it is closed. */
export class LocalProcess {
  readonly #files: ProcessSpec['files'];
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: (output: Readable) => void;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `files`: where each lies, by the name that it is to have in `directory`. */
  constructor(
    files: ProcessSpec['files'],
    directory: string,
    env: ProcessSpec['env'],
    log: (output: Readable) => void,
  ) {
    this.#files = files;
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
    // The bundles are CommonJS; without this, Node would read the `type` of another package.json above.
    writeFileSync(join(this.#directory, 'package.json'), '{"type":"commonjs"}\n');
    for (const [name, from] of Object.entries(this.#files)) copyFileSync(from, join(this.#directory, name));
    const child = spawn(process.execPath, [join(this.#directory, 'index.js')], {
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
