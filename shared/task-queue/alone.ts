import { type AttemptDeps, Attempter, SOON_MS } from './attempt.ts';
import { isExhausted } from './attempts.ts';
import type { TaskMessage } from './message.ts';
import { type Task, withAttempts } from './task.ts';
import { Visibility } from './visibility.ts';

/**
 * Serves one message in a process that has no other. One that may have killed a process before counts as a crash from its beginning until
 * it ends; after three crashes it is given up. Resolves with whether the message stays on the queue. Never rejects.
 */
export async function serveAlone(
  message: TaskMessage,
  deadlineMs: number,
  deps: AttemptDeps,
): Promise<boolean> {
  const visibility = new Visibility({ ...deps, hide: deps.queue.hide });
  const attempter = new Attempter(deps, visibility);
  try {
    const [tasks, held] = await Promise.all([
      withAttempts([message], deps.attempts),
      visibility.hold([message]),
    ]);
    const [task] = tasks;
    // Another process has it by now: it is not the caller's to delete.
    if (!task || held.length === 0) return true;
    const now = deps.time.now();
    if (isExhausted(task.attempts, now)) await attempter.giveUp(task);
    else if (message.receives === 1) await attempter.attempt(task, deadlineMs, false);
    else await attemptNoted(task, deadlineMs, attempter, deps);
    return attempter.left.length > 0;
  } finally {
    visibility.end();
  }
}

/**
 * A task that comes again takes over what a dead process had claimed. So one process alone may begin it at each receive, also where the message
 * was delivered twice.
 */
async function attemptNoted(
  task: Task,
  deadlineMs: number,
  attempter: Attempter,
  { attempts }: Pick<AttemptDeps, 'attempts'>,
): Promise<void> {
  const { message } = task;
  const begins = await attempts.begin(message).catch(() => undefined);
  if (begins) await attempter.attempt(task, deadlineMs, true);
  else if (begins === false) attempter.letGo(message);
  // Uncounted it could kill one process after the other.
  else await attempter.leave([[message, SOON_MS]]);
}
