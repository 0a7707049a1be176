import { join } from 'node:path';
import { environment, workerServiceConfig, TASKS } from '../shared/runtime/index.ts';
import { containerConfig } from '../shared/aws/index.ts';
import { startWatchdog, TaskService } from '../shared/task-queue/index.ts';
import { alive, sharedFiles, taskWorkerOf, logOf } from './composition/index.ts';

/** A process, not a Lambda function: handles tasks from the queue as `worker` does, until it gets a signal to stop. */
async function run(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const config = await containerConfig(environment(), workerServiceConfig);
  const { info } = logOf(config);
  const service = new TaskService({
    ...taskWorkerOf(config, sharedFiles(), TASKS.serviceReceiveWaitSeconds),
    taskMs: 1_000 * TASKS.workerSeconds,
    drainMs: 1_000 * config.drainSeconds,
    alive,
  });
  alive();
  info('worker.started');
  const interrupted = await service.run(stop.signal);
  info('worker.stopped', { count: interrupted });
  // Another process may have received the interrupted tasks by now.
  process.exit(0);
}

// A process that hangs would keep its tasks hidden. One that ends is replaced.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unexpected: ${error instanceof Error ? (error.stack ?? error.name) : 'unknown'}\n`);
  process.exit(1);
});
void startWatchdog(join(__dirname, 'watchdog-thread.js'));
void run();
