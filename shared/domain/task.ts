import * as v from 'valibot';

import { attachmentSchema, interactionSchema, threadSchema } from './interaction.ts';
import type { TurnRef } from './turn.ts';
import { WEBHOOK_EVENTS } from './external/integration.ts';
import { restoreNames } from './stored-names.ts';
import { messageId, userId, workspaceId } from './ids.ts';

export type QueueDelivery = {
  /** When the task must be finished (ms since 1970). */
  readonly deadline: number;
  /** An earlier delivery of this task failed. A request of it may still be in flight. */
  readonly isRedelivery: boolean;
  /**
   * The process of an earlier delivery may have crashed; requests of it may still be in flight. Undefined
   * counts as no.
   */
  readonly afterCrash?: boolean | undefined;
  /** Another process may run the same task at the same time. Undefined counts as no. */
  readonly mayRunTwice?: boolean | undefined;
  /** The queue will not deliver it again. */
  readonly isLast: boolean;
  /** The trace of the task, as an X-Ray header. */
  readonly trace?: string | undefined;
  /** The receipt handle of the message. It makes the message visible again while it is hidden. */
  readonly receipt?: string | undefined;
  /** The id of the message in the queue: the same at each delivery. */
  readonly queueMessage?: string | undefined;
};

/**
 * The result of a task. `later`: the queue delivers it again after at least `afterMs`. `queueWaitMs`: the
 * request keeps its position in a key's wait queue, and this is the time until its turn; this wait does not
 * count towards the maximum wait of a task. `too-large`: the task needs more memory than this process can give,
 * and nothing was sent or shown. A process with no other task must run it.
 */
export type TaskResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly afterMs: number; readonly queueWaitMs?: number }
  | { readonly kind: 'too-large' };

/** Not part of `attachmentSchema`, which the fronts contain. */
const attachment = v.object({ ...attachmentSchema.entries, isTranscribed: v.optional(v.boolean()) });

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const place = {
  v: v.literal(1),
  thread: threadSchema,
  message: v.pipe(text, v.transform(messageId)),
  asker: v.pipe(text, v.transform(userId)),
  askerWorkspace: v.pipe(text, v.transform(workspaceId)),
};

/** How often the queue gave up on this task before. */
const round = v.optional(v.number(), 0);

/** How often it was queued again because it waits for something else to finish. */
const waitCount = v.optional(v.number());

/** See `IncomingMessage`. */
const mayHaveFiles = v.optional(v.boolean());

/** The locale of `asker` or `by` (BCP 47), if the platform sent it. */
const locale = v.optional(text);

const task = v.variant('kind', [
  v.object({
    ...place,
    kind: v.literal('ask'),
    question: v.string(),
    attachments: v.optional(v.array(attachment), []),
    mayHaveFiles,
    receivedAt: v.number(),
    /** The model to use instead of the default one. */
    model: v.optional(text),
    locale,
    /** Another bot is asking. */
    bot: v.optional(v.boolean()),
    /** See `IncomingMessage.isHidden`. */
    hidden: v.optional(v.boolean()),
    /**
     * The message may be deleted already: the question comes from an edit event, which may arrive after the
     * deletion, or a transcription came first.
     */
    late: v.optional(v.boolean()),
    /** When the message was edited to this question (ms since 1970). */
    editedAt: v.optional(v.number()),
    /** The key of that edit. An older edit that arrives later does not replace the question. */
    edit: v.optional(v.string()),
    /** See `IncomingMessage`. It is in this task alone: nothing stores it, and no other task has it. */
    searchToken: v.optional(v.string()),
  }),
  v.object({ ...place, kind: v.literal('reconcile') }),
  /**
   * Answer again: the question was edited or deleted, or a button was clicked. `key` identifies the request.
   */
  v.object({
    ...place,
    kind: v.literal('redo'),
    round,
    key: v.string(),
    by: v.pipe(text, v.transform(userId)),
    locale,
    /** When the button was clicked (ms since 1970), if the answer is edited in place. */
    clickedAt: v.optional(v.number()),
    /** The interaction token, if the answer is sent with it. */
    interactionToken: v.optional(v.object({ id: v.pipe(text, v.transform(messageId)), token: v.string() })),
    change: v.variant('kind', [
      /** An empty question means that the message was deleted. */
      v.object({
        kind: v.literal('edited'),
        editedMessage: v.pipe(text, v.transform(messageId)),
        question: v.string(),
        attachments: v.array(attachment),
        mayHaveFiles,
      }),
      v.object({ kind: v.literal('regenerate'), model: v.optional(v.string()) }),
      v.object({ kind: v.literal('continue') }),
      v.object({ kind: v.literal('version'), choice: v.optional(v.string()) }),
    ]),
  }),
  /** Every delivery of this question failed: notify the person. */
  v.object({
    ...place,
    kind: v.literal('apologise'),
    question: v.string(),
    /** Its files, so that it can be asked again with them. Tasks of older versions have none. */
    attachments: v.optional(v.array(attachment)),
    mayHaveFiles,
    /** As in the task that was given up. */
    late: v.optional(v.boolean()),
    editedAt: v.optional(v.number()),
    edit: v.optional(v.string()),
  }),
  /** Advance a video job to its next step. */
  v.object({
    ...place,
    kind: v.literal('video'),
    jobId: text,
    /** Update the card only when something changed, not for the elapsed time. */
    quiet: v.optional(v.boolean()),
  }),
  /** A person came back from the page of an MCP server, with a code: end their sign-in. `state` names it, `issuer` (`iss`) who sent them. */
  v.object({
    ...place,
    kind: v.literal('connect'),
    state: text,
    code: v.pipe(v.string(), v.maxLength(4_096)),
    issuer: v.optional(v.string()),
  }),
  /** `message`, which is in the collection of its channel, was edited at `editedAt` (ms since 1970): index its text again, and remove its files that are gone. */
  v.object({
    ...place,
    kind: v.literal('reindex'),
    text: v.string(),
    attachments: v.array(attachmentSchema),
    mayHaveFiles,
    editedAt: v.number(),
  }),
  /** An interaction. Outside of threads, `message` is the id of the interaction. `round`: how often the queue gave it up; absent: never. */
  v.object({
    ...place,
    kind: v.literal('invoked'),
    interaction: interactionSchema,
    round: v.optional(v.number()),
  }),
  /**
   * Post the question of an integration in a channel, and ask it there. `message` is the id of the request; `root` is that of the thread, or the id
   * again where the question begins a thread.
   */
  v.object({
    ...place,
    kind: v.literal('integration-ask'),
    question: v.string(),
    model: v.optional(text),
    round: v.optional(v.number()),
  }),
  /** Tell an integration what happened to an answer that it asked for, at `at` (ms since 1970); with `others`, to one that somebody else asked for in a channel of it. `good`: of a rating. */
  v.object({
    ...place,
    kind: v.literal('webhook'),
    event: v.picklist(WEBHOOK_EVENTS),
    good: v.optional(v.boolean()),
    /** The interaction that rated the answer: a repeated task says the same one. Tasks of older versions have none. */
    ratedBy: v.optional(text),
    others: v.optional(v.boolean()),
    at: v.number(),
  }),
  /** Do the run of a schedule that was due at `runAt` (ms since 1970). Its thread is none: `root` is the schedule's id. */
  v.object({ ...place, kind: v.literal('scheduled'), scheduleId: text, runAt: v.number() }),
  /** Export the stored data of the person or of the thread. `cursor` is where the previous task stopped. */
  v.object({
    ...place,
    kind: v.literal('export'),
    scope: v.picklist(['person', 'thread']),
    interaction: interactionSchema,
    cursor: v.optional(v.string()),
    round,
    waitCount,
  }),
  /** Erase a workspace, a person, a thread, or expired data. `cursor` is where the previous task stopped. */
  v.object({
    ...place,
    kind: v.literal('erase'),
    scope: v.variant('kind', [
      /** The app was uninstalled at this time (ms since 1970). */
      v.object({ kind: v.literal('workspace'), at: v.number() }),
      /** An app that is installed for an organization lost access to these workspaces. */
      v.object({ kind: v.literal('teams'), teams: v.array(v.pipe(text, v.transform(workspaceId))) }),
      v.object({
        kind: v.literal('person'),
        user: v.pipe(text, v.transform(userId)),
        /** In all workspaces of the platform, not only in this one. */
        everywhere: v.optional(v.boolean()),
      }),
      v.object({ kind: v.literal('thread') }),
      /** What `message`, which was deleted, added to the collection of its channel. */
      v.object({ kind: v.literal('message') }),
      /** The collection of the channel, which was deleted; with `inThread`, what was added from that thread of it. */
      v.object({
        kind: v.literal('channel'),
        inThread: v.optional(v.pipe(text, v.transform(messageId))),
      }),
      /** Parts of a document that was removed from the collection of the channel, which a process stored late. */
      v.object({ kind: v.literal('document'), id: text }),
      /** Data of the workspace that is older than its retention period. */
      v.object({ kind: v.literal('older') }),
    ]),
    cursor: v.optional(v.string()),
    /**
     * The second pass, not before `dueAt`: writes that were in flight during the first one may have stored
     * questions sent until `sentUntil` (both in ms since 1970).
     */
    secondPass: v.optional(v.object({ dueAt: v.number(), sentUntil: v.number() })),
    /** The interaction that requested it; it gets a response when the erasure is done. */
    interaction: v.optional(interactionSchema),
    round,
    waitCount,
  }),
]);

/** A task on the queue. `receivedAt` is in ms since 1970. */
export type Task = v.InferOutput<typeof task>;
export type AskTask = Extract<Task, { kind: 'ask' }>;
export type RegenerateTask = Extract<Task, { kind: 'redo' }>;
export type FailureNoticeTask = Extract<Task, { kind: 'apologise' }>;
export type InteractionTask = Extract<Task, { kind: 'invoked' }>;
export type EraseTask = Extract<Task, { kind: 'erase' }>;
export type ExportTask = Extract<Task, { kind: 'export' }>;
export type IntegrationAskTask = Extract<Task, { kind: 'integration-ask' }>;
export type WebhookTask = Extract<Task, { kind: 'webhook' }>;
export type ScheduledTask = Extract<Task, { kind: 'scheduled' }>;
export type VideoTask = Extract<Task, { kind: 'video' }>;
export type ReindexTask = Extract<Task, { kind: 'reindex' }>;
export type ConnectTask = Extract<Task, { kind: 'connect' }>;
export type ReconcileTask = Extract<Task, { kind: 'reconcile' }>;

/** Parses a task from the queue. Returns undefined if it is not a valid task. */
export function parseTask(body: string): Task | undefined {
  try {
    const parsed = v.safeParse(task, restoreNames(JSON.parse(body)));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the turn that a task belongs to. */
export function getTaskTurnRef(queued: Task): TurnRef {
  const { thread, message, asker, askerWorkspace } = queued;
  return { thread, message, asker, askerWorkspace };
}
