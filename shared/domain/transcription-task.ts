import * as v from 'valibot';
import { messageId, userId, workspaceId } from './ids.ts';
import { attachmentSchema, interactionSchema, threadSchema } from './interaction.ts';

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const task = v.object({
  v: v.literal(1),
  kind: v.literal('hear'),
  /** Where the words are written: the thread under the message, or the one that it is in. */
  thread: threadSchema,
  /** The message with the recordings, and whose they are. */
  message: v.pipe(text, v.transform(messageId)),
  asker: v.pipe(text, v.transform(userId)),
  askerWorkspace: v.pipe(text, v.transform(workspaceId)),
  /** Who wants it, if it is not who recorded it. */
  by: v.optional(v.pipe(text, v.transform(userId))),
  recordings: v.array(attachmentSchema),
  /** When somebody asked for it (ms since 1970); absent where it is heard as it comes, or asked for by a version that did not note it yet. */
  at: v.optional(v.number()),
  /** How many pieces had been heard when it was sent; absent for none. */
  heard: v.optional(v.number()),
  /** A BCP 47 tag for what is said around the words. */
  locale: v.optional(text),
  wish: v.variant('kind', [
    /** The words are shown. `to`: in a second language too. `first`: it is said once how to stop this. */
    v.object({
      kind: v.literal('show'),
      to: v.optional(text),
      first: v.optional(v.boolean()),
      /** Long ones are summed up. */
      summary: v.optional(v.boolean()),
    }),
    /** What is heard is a question, or part of one. */
    v.object({
      kind: v.literal('ask'),
      question: v.string(),
      attachments: v.array(attachmentSchema),
      receivedAt: v.number(),
      /** It was in line already when it turned out that there is something to hear: the queue still knows that task. */
      again: v.optional(v.boolean()),
    }),
    /** One person wants one recording in a language, to read or to hear. */
    v.object({
      kind: v.literal('translate'),
      to: text,
      speak: v.optional(v.boolean(), false),
      /** The first piece that is not spoken yet; absent for none. */
      from: v.optional(v.number()),
      /** The message with the first that were. */
      spokenAt: v.optional(v.pipe(text, v.transform(messageId))),
      invocation: interactionSchema,
    }),
    /** The message was deleted: what was written out of it goes. Names no recordings. */
    v.object({ kind: v.literal('forget') }),
  ]),
});

/** Recordings of one message that are to be written out. On a queue of its own: chat never waits behind it. */
export type TranscriptionTask = v.InferOutput<typeof task>;

/** Reads a task off the queue. Returns undefined for anything that is not one. */
export function parseTranscriptionTask(body: string): TranscriptionTask | undefined {
  try {
    const { success, output } = v.safeParse(task, JSON.parse(body));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
