import * as v from 'valibot';
import type { TaskMessage } from './message.ts';

/**
 * A message of the queue of tasks on its way to a process of its own: it may have killed one, or needs more memory than a shared one has. The message itself stays hidden in its queue, in line with its
 * thread; what travels is by what receipt to hold it.
 */
const Isolated = v.object({
  v: v.literal(1),
  message: v.object({
    id: v.string(),
    group: v.string(),
    body: v.string(),
    receipt: v.string(),
    receives: v.number(),
    trace: v.optional(v.string()),
  }),
});

export const isolatedMessage = (message: TaskMessage): string => JSON.stringify({ v: 1, message });

/** Undefined for what is none: of another version. */
export function readIsolated(body: string): TaskMessage | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Isolated), body);
  return parsed.success ? parsed.output.message : undefined;
}
