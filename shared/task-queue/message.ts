import * as v from 'valibot';

/** A message received from the task queue. */
export type TaskMessage = {
  readonly id: string;
  /** Messages of a group are delivered in order, to one process at a time. */
  readonly group: string;
  readonly body: string;
  /** The receipt handle, for deleting the message or changing its visibility timeout. */
  readonly receipt: string;
  /**
   * How often it was received, including this time. SQS counts a crash, a throttled invocation and a returned
   * message alike.
   */
  readonly receives: number;
  /** Its trace, as an X-Ray header. */
  readonly trace?: string | undefined;
};

/**
 * A task message on its way to an isolated process: it may have crashed a process, or needs more memory than a
 * shared process has. The message itself stays hidden in its queue, in the order of its thread; only its
 * content and receipt handle are sent.
 */
const isolatedSchema = v.object({
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

/** Serializes a message for an isolated process: see `parseIsolated`. */
export const serializeIsolated = (message: TaskMessage): string => JSON.stringify({ v: 1, message });

/** Undefined if the message is invalid or of another version. */
export function parseIsolated(body: string): TaskMessage | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), isolatedSchema), body);
  return parsed.success ? parsed.output.message : undefined;
}
