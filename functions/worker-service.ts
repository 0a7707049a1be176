import { join } from 'node:path';
import { getEnvironment, readWorkerServiceConfig, TASKS } from '../shared/runtime/index.ts';
import { readContainerConfig } from '../shared/aws/index.ts';
import { startWatchdog, TaskService } from '../shared/task-queue/index.ts';
import { writeHeartbeat, createSharedFiles, createTaskWorker, createLog } from './composition/index.ts';

/** A process, not a Lambda function: handles tasks from the queue as `worker` does, until it gets a signal to stop. */
async function run(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const config = await readContainerConfig(getEnvironment(), readWorkerServiceConfig);
  const { info } = createLog(config);
  const service = new TaskService({
    ...createTaskWorker(config, createSharedFiles(), TASKS.serviceReceiveWaitSeconds),
    taskMs: 1_000 * TASKS.workerSeconds,
    drainMs: 1_000 * config.drainSeconds,
    alive: writeHeartbeat,
  });
  writeHeartbeat();
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
