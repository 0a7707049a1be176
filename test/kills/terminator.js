// @ts-check
/**
 * Loaded before `npm start` (`--import`): ends the thread of a function when the process is told its name over IPC, as a sandbox of Lambda
 * ends when it is killed, and answers with the time (ms since 1970) once it has ended. From outside, a signal ends a whole process and never one thread.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** @type {Map<string, import('node:worker_threads').Worker>} */
const running = new Map();

class KnownWorker extends threads.Worker {
  /**
   * @param {string | URL} file
   * @param {import('node:worker_threads').WorkerOptions} [options]
   */
  constructor(file, options) {
    super(file, options);
    const name = options?.name;
    if (name === undefined) return;
    running.set(name, this);
    this.once('exit', () => {
      if (running.get(name) === this) running.delete(name);
    });
  }
}

threads.Worker = KnownWorker;
syncBuiltinESMExports();

process.on('message', (/** @type {unknown} */ part) => {
  const worker = [...running].find(([name]) => typeof part === 'string' && name.includes(part));
  const ended = worker?.[1].terminate() ?? Promise.resolve();
  void ended.then(() => process.send?.(Date.now()));
});
// The channel keeps nothing alive.
process.channel?.unref();
