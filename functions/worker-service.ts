import { join } from 'node:path';
import { environment, workerServiceConfig } from '../shared/runtime/config/config.ts';
import { containerConfig } from '../shared/aws/container-credentials.ts';
import { TASKS } from '../shared/runtime/shared-names.ts';
import { startWatchdog, TaskService } from '../shared/task-queue/index.ts';
import { alive } from './composition/process/heartbeat-file.ts';
import { sharedFiles, taskWorkerOf } from './composition/process/task-worker.ts';
import { logOf } from './composition/worker.ts';

/** A process that lives on, not a function of Lambda: takes tasks from the queue and does them, as `worker` does, until it is told to stop. */
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
  // What was handed back is another process's by now.
  process.exit(0);
}

// A process that does not end leaves its tasks hidden; whoever starts it starts another.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unexpected: ${error instanceof Error ? (error.stack ?? error.name) : 'unknown'}\n`);
  process.exit(1);
});
void startWatchdog(join(__dirname, 'watchdog-thread.js'));
void run();
