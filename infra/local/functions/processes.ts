import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ProcessSpec } from '../template/resource-types.ts';

/** Delay before a restart after an unexpected end, like that of a container. */
const RESTART_DELAY_MS = 1_000;
const KILL_TIMEOUT_MS = 3_000;
/** The deployed relay has a small young generation too: see `infra/cdk/containers/relay.ts`. */
const NODE_OPTIONS = ['--max-semi-space-size=2'];

/** Keeps one process running in its own folder until it is closed. */
export class LocalProcess {
  readonly #files: ProcessSpec['files'];
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: (output: Readable) => void;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `files`: source paths by file name in `directory`. */
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

  /** The id of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    // The bundles are CommonJS. Without this, Node would use the `type` of a package.json in a parent folder.
    writeFileSync(join(this.#directory, 'package.json'), '{"type":"commonjs"}\n');
    for (const [name, from] of Object.entries(this.#files)) copyFileSync(from, join(this.#directory, name));
    const child = spawn(process.execPath, [...NODE_OPTIONS, join(this.#directory, 'index.js')], {
      cwd: this.#directory,
      env: { ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#log(child.stdout);
    this.#log(child.stderr);
    child.once('exit', () => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.start(), RESTART_DELAY_MS);
    });
    // 'exit' follows this event, unless the process never started; then there is nothing to restart.
    child.once('error', () => undefined);
  }

  /** Sends SIGTERM, and SIGKILL after some seconds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
}
