import * as v from 'valibot';
import { messageId, userId, workspaceId } from './ids.ts';
import { attachmentSchema as attachment, interactionSchema, threadSchema } from './interaction.ts';
import type { TurnRef } from './turn/turn.ts';

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const place = {
  v: v.literal(1),
  thread: threadSchema,
  message: v.pipe(text, v.transform(messageId)),
  asker: v.pipe(text, v.transform(userId)),
  askerWorkspace: v.pipe(text, v.transform(workspaceId)),
};

/** How often the queue has given this task up before. */
const round = v.optional(v.number(), 0);

/** How often it was put on the queue anew because something else has to end first. */
const waits = v.optional(v.number());

/** What `asker`, or `by`, reads (BCP 47), where the platform said so along with what they did. */
const locale = v.optional(text);

const task = v.variant('kind', [
  v.object({
    ...place,
    kind: v.literal('ask'),
    question: v.string(),
    attachments: v.optional(v.array(attachment), []),
    receivedAt: v.number(),
    /** The model to ask, if not the usual one. */
    model: v.optional(text),
    locale,
    /** Another bot asks. */
    bot: v.optional(v.boolean()),
    /** Its message may be gone: an edit told of it, which platforms may do again after it was deleted; or it was heard first. */
    late: v.optional(v.boolean()),
  }),
  v.object({ ...place, kind: v.literal('reconcile') }),
  /** Answer a question again: it was edited or deleted, or a button asks for it. `key` tells one wish from the next. */
  v.object({
    ...place,
    kind: v.literal('redo'),
    round,
    key: v.string(),
    by: v.pipe(text, v.transform(userId)),
    locale,
    /** When a button was pressed whose answer is made in place (ms since 1970). */
    pressedAt: v.optional(v.number()),
    /** What the press came with, where its answer is made with that. */
    ticket: v.optional(v.object({ id: v.pipe(text, v.transform(messageId)), token: v.string() })),
    how: v.variant('kind', [
      /** `of` is the message that was changed; an empty question takes it out. */
      v.object({
        kind: v.literal('edited'),
        of: v.pipe(text, v.transform(messageId)),
        question: v.string(),
        attachments: v.array(attachment),
      }),
      v.object({ kind: v.literal('regenerate'), model: v.optional(v.string()) }),
      v.object({ kind: v.literal('continue') }),
    ]),
  }),
  /** Every delivery of this question failed: the person is to be told. */
  v.object({ ...place, kind: v.literal('apologise'), question: v.string() }),
  /** A look at a video that is being made: whatever is next is done. */
  v.object({
    ...place,
    kind: v.literal('video'),
    job: text,
    /** Nothing is shown but what has changed: how long it has taken so far is not. */
    quiet: v.optional(v.boolean()),
  }),
  /** Something called, pressed or filled in: `message` is the invocation's own id where it was in no thread. */
  v.object({ ...place, kind: v.literal('invoked'), invocation: interactionSchema }),
  /** Hand over what is kept of who wanted it, or of this thread. `from` is where the task before this one stopped. */
  v.object({
    ...place,
    kind: v.literal('export'),
    of: v.picklist(['person', 'thread']),
    wanted: interactionSchema,
    from: v.optional(v.string()),
    round,
    waits,
  }),
  /** Forget a workspace, a person or this thread. `from` is where the task before this one stopped. */
  v.object({
    ...place,
    kind: v.literal('erase'),
    of: v.variant('kind', [
      /** The app was removed at this moment (ms since 1970). */
      v.object({ kind: v.literal('workspace'), at: v.number() }),
      /** An app of a whole organisation was removed from these of its workspaces. */
      v.object({ kind: v.literal('teams'), teams: v.array(v.pipe(text, v.transform(workspaceId))) }),
      v.object({
        kind: v.literal('person'),
        user: v.pipe(text, v.transform(userId)),
        /** Not in the workspace alone: in all that the platform has. */
        everywhere: v.optional(v.boolean()),
      }),
      v.object({ kind: v.literal('thread') }),
      /** Of a workspace what is older than is kept there now. */
      v.object({ kind: v.literal('older') }),
    ]),
    from: v.optional(v.string()),
    /** Whoever wanted it is told when it is done. */
    tell: v.optional(interactionSchema),
    round,
    waits,
  }),
]);

/** An intent on the queue; lives seconds. `receivedAt` is in ms since 1970. */
export type Task = v.InferOutput<typeof task>;
export type AskTask = Extract<Task, { kind: 'ask' }>;
export type RegenerateTask = Extract<Task, { kind: 'redo' }>;
export type FailureNoticeTask = Extract<Task, { kind: 'apologise' }>;
export type InteractionTask = Extract<Task, { kind: 'invoked' }>;
export type EraseTask = Extract<Task, { kind: 'erase' }>;
export type ExportTask = Extract<Task, { kind: 'export' }>;
export type VideoTask = Extract<Task, { kind: 'video' }>;
export type ReconcileTask = Extract<Task, { kind: 'reconcile' }>;

/** Reads a task off the queue. Returns undefined for anything that is not one. */
export function parseTask(body: string): Task | undefined {
  try {
    const parsed = v.safeParse(task, JSON.parse(body));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** The turn that a task is about. */
export function turnOf(of: Task): TurnRef {
  const { thread, message, asker, askerWorkspace } = of;
  return { thread, message, asker, askerWorkspace };
}
