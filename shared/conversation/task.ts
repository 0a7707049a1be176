import * as z from 'zod/mini';
import { messageId, userId, workspaceId } from './ids.ts';
import { attachmentSchema as attachment, invocationSchema, threadSchema } from './invocation.ts';
import type { TurnRef } from './turn.ts';

const text = z.string().check(z.minLength(1), z.maxLength(256));

const place = {
  v: z.literal(1),
  thread: threadSchema,
  message: z.pipe(text, z.transform(messageId)),
  asker: z.pipe(text, z.transform(userId)),
  askerWorkspace: z.pipe(text, z.transform(workspaceId)),
};

/** How often the queue has given this task up before. */
const round = z._default(z.number(), 0);

/** What `asker`, or `by`, reads (BCP 47), where the platform said so along with what they did. */
const locale = z.optional(text);

const task = z.discriminatedUnion('kind', [
  z.object({
    ...place,
    kind: z.literal('ask'),
    question: z.string(),
    attachments: z._default(z.array(attachment), []),
    receivedAt: z.number(),
    /** The model to ask, if not the usual one. */
    model: z.optional(text),
    locale,
    /** Another bot asks. */
    bot: z.optional(z.boolean()),
  }),
  z.object({ ...place, kind: z.literal('reconcile') }),
  /** Answer a question again: it was edited or deleted, or a button asks for it. `key` tells one wish from the next. */
  z.object({
    ...place,
    kind: z.literal('redo'),
    round,
    key: z.string(),
    by: z.pipe(text, z.transform(userId)),
    locale,
    how: z.discriminatedUnion('kind', [
      /** `of` is the message that was changed; an empty question takes it out. */
      z.object({
        kind: z.literal('edited'),
        of: z.pipe(text, z.transform(messageId)),
        question: z.string(),
        attachments: z.array(attachment),
      }),
      z.object({ kind: z.literal('regenerate'), model: z.optional(z.string()) }),
      z.object({ kind: z.literal('continue') }),
    ]),
  }),
  /** Every delivery of this question failed: the person is to be told. */
  z.object({ ...place, kind: z.literal('apologise'), question: z.string() }),
  /** A look at a video that is being made: whatever is next is done. */
  z.object({ ...place, kind: z.literal('video'), job: text }),
  /** Something called, pressed or filled in: `message` is the invocation's own id where it was in no thread. */
  z.object({ ...place, kind: z.literal('invoked'), invocation: invocationSchema }),
  /** Hand over what is kept of who wanted it, or of this thread. `from` is where the task before this one stopped. */
  z.object({
    ...place,
    kind: z.literal('export'),
    of: z.enum(['person', 'thread']),
    wanted: invocationSchema,
    from: z.optional(z.string()),
    round,
  }),
  /** Forget a workspace, a person or this thread. `from` is where the task before this one stopped. */
  z.object({
    ...place,
    kind: z.literal('erase'),
    of: z.discriminatedUnion('kind', [
      /** The app was removed at this moment (ms since 1970). */
      z.object({ kind: z.literal('workspace'), at: z.number() }),
      z.object({
        kind: z.literal('person'),
        user: z.pipe(text, z.transform(userId)),
        /** Not in the workspace alone: in all that the platform has. */
        everywhere: z.optional(z.boolean()),
      }),
      z.object({ kind: z.literal('thread') }),
    ]),
    from: z.optional(z.string()),
    /** Whoever wanted it is told when it is done. */
    tell: z.optional(invocationSchema),
    round,
  }),
]);

/** An intent on the queue; lives seconds. `receivedAt` is in ms since 1970. */
export type Task = z.infer<typeof task>;
export type AskTask = Extract<Task, { kind: 'ask' }>;
export type RedoTask = Extract<Task, { kind: 'redo' }>;
export type ApologiseTask = Extract<Task, { kind: 'apologise' }>;
export type InvokedTask = Extract<Task, { kind: 'invoked' }>;
export type EraseTask = Extract<Task, { kind: 'erase' }>;
export type ExportTask = Extract<Task, { kind: 'export' }>;
export type VideoTask = Extract<Task, { kind: 'video' }>;
export type ReconcileTask = Extract<Task, { kind: 'reconcile' }>;

/** Reads a task off the queue. Returns undefined for anything that is not one. */
export function parseTask(body: string): Task | undefined {
  try {
    const parsed = task.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** The turn that a task is about. */
export function turnOf(of: Task): TurnRef {
  const { thread, message, asker, askerWorkspace } = of;
  return { thread, message, asker, askerWorkspace };
}
