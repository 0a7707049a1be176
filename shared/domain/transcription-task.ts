import * as v from 'valibot';

import { attachmentSchema, interactionSchema, threadSchema } from './interaction.ts';
import { messageId, userId, workspaceId } from './ids.ts';
import { restoreNames } from './stored-names.ts';

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const task = v.object({
  v: v.literal(1),
  kind: v.literal('hear'),
  /** Where the transcript is posted: the thread of the message. */
  thread: threadSchema,
  /** The message with the recordings, and its author. */
  message: v.pipe(text, v.transform(messageId)),
  asker: v.pipe(text, v.transform(userId)),
  askerWorkspace: v.pipe(text, v.transform(workspaceId)),
  /** Who requested it, if not the author. */
  by: v.optional(v.pipe(text, v.transform(userId))),
  recordings: v.array(attachmentSchema),
  /**
   * When it was requested (ms since 1970); absent for automatic transcription, and in tasks from older
   * versions.
   */
  requestedAt: v.optional(v.number()),
  /** How many chunks were transcribed when the task was queued; absent for none. */
  doneChunks: v.optional(v.number()),
  /** The locale of the bot's own text around the transcript (BCP 47). */
  locale: v.optional(text),
  request: v.variant('kind', [
    /**
     * Post the transcript. `to`: with a translation into this language. `explainOptOut`: also
     * explain once how to turn this off.
     */
    v.object({
      kind: v.literal('show'),
      to: v.optional(text),
      explainOptOut: v.optional(v.boolean()),
      /** Add a summary to long transcripts. */
      summary: v.optional(v.boolean()),
    }),
    /** The recording is a question, or part of one. */
    v.object({
      kind: v.literal('ask'),
      question: v.string(),
      attachments: v.array(attachmentSchema),
      receivedAt: v.number(),
      /** The key of the edit that the question comes from. */
      edit: v.optional(v.string()),
      /** As in the task `ask`. */
      model: v.optional(text),
      locale: v.optional(text),
      /**
       * The question was queued before its recording was known: the queue may still deduplicate that earlier
       * task.
       */
      wasQueued: v.optional(v.boolean()),
    }),
    /** A person wants a recording translated, as text or as speech. */
    v.object({
      kind: v.literal('translate'),
      to: text,
      speak: v.optional(v.boolean(), false),
      /** The first chunk that is not spoken yet; absent for none. */
      nextChunk: v.optional(v.number()),
      /** The message with the first spoken file. */
      speechMessage: v.optional(v.pipe(text, v.transform(messageId))),
      interaction: interactionSchema,
    }),
    /** The message was deleted: delete its transcripts. Names no recordings. */
    v.object({ kind: v.literal('forget') }),
  ]),
});

/**
 * Recordings of one message to transcribe. They have a queue of their own, so that chat never waits for them.
 */
export type TranscriptionTask = v.InferOutput<typeof task>;

/** Parses a task from the queue. Returns undefined if it is not a valid task. */
export function parseTranscriptionTask(body: string): TranscriptionTask | undefined {
  try {
    const { success, output } = v.safeParse(task, restoreNames(JSON.parse(body)));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
