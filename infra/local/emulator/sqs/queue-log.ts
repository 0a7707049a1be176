import * as v from 'valibot';
import { parseJson } from '../../../../shared/utils/index.ts';
import { parseTraceId } from '../../../../shared/runtime/index.ts';
import type { Logs } from '../../functions/logs.ts';
import type { QueueChange } from './queues.ts';

/** What a task says about its message. Nothing else of a body is logged: it contains what people write. */
const Task = v.object({
  kind: v.optional(v.string()),
  message: v.optional(v.string()),
  thread: v.optional(
    v.object({ platform: v.string(), workspace: v.string(), channel: v.string(), root: v.string() }),
  ),
});

/** Logs the changes of all queues as structured lines, `task.enqueued` and so on: one task from its start to its end. */
export function createQueueLog(
  logs: Pick<Logs, 'write'>,
  now: () => number = Date.now,
): (change: QueueChange) => void {
  return (change) => {
    const { kind, queue, message } = change;
    const task = v.safeParse(Task, parseJson(message.body));
    const { thread, ...facts } = task.success ? task.output : {};
    const line = {
      timestamp: new Date(now()).toISOString(),
      level: kind === 'moved' ? 'warn' : 'info',
      event: `task.${kind}`,
      trace: parseTraceId(message.trace),
      name: queue,
      messageId: message.id,
      ...facts,
      ...thread,
      ...(kind === 'received' && { receives: message.receives }),
    };
    logs.write('queues', JSON.stringify(line));
  };
}
