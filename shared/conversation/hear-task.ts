import * as z from 'zod/mini';
import { messageId, userId, workspaceId } from './ids.ts';
import { attachmentSchema, invocationSchema, threadSchema } from './invocation.ts';

const text = z.string().check(z.minLength(1), z.maxLength(256));

const task = z.object({
  v: z.literal(1),
  kind: z.literal('hear'),
  /** Where the words are written: the thread under the message, or the one that it is in. */
  thread: threadSchema,
  /** The message with the recordings, and whose they are. */
  message: z.pipe(text, z.transform(messageId)),
  asker: z.pipe(text, z.transform(userId)),
  askerWorkspace: z.pipe(text, z.transform(workspaceId)),
  /** Who wants it, if it is not who recorded it. */
  by: z.optional(z.pipe(text, z.transform(userId))),
  recordings: z.array(attachmentSchema),
  /** A BCP 47 tag for what is said around the words. */
  locale: z.optional(text),
  wish: z.discriminatedUnion('kind', [
    /** The words are shown. `to`: in a second language too. `first`: it is said once how to stop this. */
    z.object({
      kind: z.literal('show'),
      to: z.optional(text),
      first: z.optional(z.boolean()),
      /** Long ones are summed up. */
      summary: z.optional(z.boolean()),
    }),
    /** What is heard is a question, or part of one. */
    z.object({
      kind: z.literal('ask'),
      question: z.string(),
      attachments: z.array(attachmentSchema),
      receivedAt: z.number(),
    }),
    /** One person wants one recording in a language, to read or to hear. */
    z.object({
      kind: z.literal('translate'),
      to: text,
      speak: z._default(z.boolean(), false),
      invocation: invocationSchema,
    }),
    /** The message was deleted: what was written out of it goes. Names no recordings. */
    z.object({ kind: z.literal('forget') }),
  ]),
});

/** Recordings of one message that are to be written out. On a queue of its own: chat never waits behind it. */
export type HearTask = z.infer<typeof task>;

/** Reads a task off the queue. Returns undefined for anything that is not one. */
export function parseHearTask(body: string): HearTask | undefined {
  try {
    return task.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
