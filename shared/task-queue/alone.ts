import { type AttemptDeps, Attempter, SOON_MS } from './attempt.ts';
import { isExhausted } from './attempts.ts';
import type { TaskMessage } from './message.ts';
import { isSuspect, withAttempts } from './task.ts';
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
    else if (!isSuspect(task, now)) await attempter.attempt(task, deadlineMs, false);
    else if (await isNoted(deps.attempts.begin(message))) await attempter.attempt(task, deadlineMs, true);
    // Uncounted it could kill one process after the other.
    else await attempter.leave([[message, SOON_MS]]);
    return attempter.left.length > 0;
  } finally {
    visibility.end();
  }
}

const isNoted = (writing: Promise<void>): Promise<boolean> =>
  writing.then(
    () => true,
    () => false,
  );
