import {
  type AttemptDeps,
  AttemptRunner,
  RETRY_DELAY_MS,
  isExhausted,
  type ReceivedTask,
  loadAttempts,
} from './attempt-runner.ts';
import type { TaskMessage } from './message.ts';
import { Visibility } from './visibility.ts';

/**
 * Runs one task in a process without other tasks. If the task may have crashed a process before, it counts as a
 * crash from its start until it ends; after three crashes it is given up. Resolves with whether the message
 * stays on the queue. Never rejects.
 */
export async function serveIsolatedMessage(
  message: TaskMessage,
  deadlineMs: number,
  deps: AttemptDeps,
): Promise<boolean> {
  const visibility = new Visibility({ ...deps, hide: deps.queue.hide });
  const runner = new AttemptRunner(deps, visibility, true);
  try {
    const [tasks, messages] = await Promise.all([
      loadAttempts([message], deps.attempts),
      visibility.hold([message]),
    ]);
    const [task] = tasks;
    // Another process has received the message: the caller must not delete it.
    if (!task || messages.length === 0) return true;
    const now = deps.time.now();
    if (isExhausted(task.attempts, now)) await runner.giveUp(task);
    else if (message.receives === 1) await runner.attempt(task, deadlineMs, false);
    else await attemptRecorded(task, deadlineMs, runner, deps);
    return runner.remainingMessages.length > 0;
  } finally {
    visibility.end();
  }
}

/**
 * A redelivered task takes over the claims of the crashed process. So only one process may start it at each
 * receive, even if SQS delivered the message twice.
 */
async function attemptRecorded(
  task: ReceivedTask,
  deadlineMs: number,
  runner: AttemptRunner,
  { attempts }: Pick<AttemptDeps, 'attempts'>,
): Promise<void> {
  const { message } = task;
  const mayStart = await attempts.begin(message).catch(() => undefined);
  if (mayStart) await runner.attempt(task, deadlineMs, true);
  else if (mayStart === false) runner.leaveOnQueue(message);
  // A crash that is not counted could repeat forever.
  else await runner.returnToQueue([[message, RETRY_DELAY_MS]]);
}
