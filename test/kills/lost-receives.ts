import * as v from 'valibot';

const Change = v.object({
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  event: v.picklist(['task.enqueued', 'task.received', 'task.deleted', 'task.moved']),
  messageId: v.string(),
});

/** A message that a worker hid itself is visible again at most this long after the worker ended (ms), wherever it ended. */
const MAX_HIDDEN_MS = 30_000;

/**
 * The ids of messages that Lambda received for a worker which was killed before its first request: only the visibility timeout of the
 * queue returns them, as on AWS (docs/delivery.md, "A process that dies before its first request"). How long a worker needs until that request depends on
 * the machine, so only what follows counts: a message that its worker had hidden itself would have been received again.
 *
 * @param lines The log of the queues: one JSON object per line.
 * @param killedAt When killed workers had ended, since the last start of the system (ms since 1970): one receives until then.
 * @param now The current time (ms since 1970).
 */
export function findLostReceives(
  lines: readonly string[],
  killedAt: readonly number[],
  now: number,
): string[] {
  const last = new Map<string, v.InferOutput<typeof Change>>();
  for (const line of lines) {
    const change = v.safeParse(Change, JSON.parse(line));
    if (change.success) last.set(change.output.messageId, change.output);
  }
  const isLost = ({ event, timestamp }: v.InferOutput<typeof Change>): boolean => {
    const at = Date.parse(timestamp);
    const firstKill = Math.min(...killedAt.filter((kill) => kill >= at));
    return event === 'task.received' && now - firstKill > MAX_HIDDEN_MS;
  };
  return [...last.values()].filter(isLost).map(({ messageId }) => messageId);
}
