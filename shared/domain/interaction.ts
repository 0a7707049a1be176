import { PLATFORMS, type Thread } from './thread.ts';
import * as v from 'valibot';
import { type MessageId, channelId, messageId, userId, workspaceId } from './ids.ts';

/**
 * The token with which the bot responds to an interaction. Valid for a limited time and for this interaction
 * only.
 */
export type InteractionToken = {
  /** Secret: anyone who has it can post as the bot. */
  readonly token: string;
  /** The interaction that it belongs to. Messages created with the token have later ids. */
  readonly id: MessageId;
  /** When it expires (ms since 1970). */
  readonly expiresAtMs: number;
  /** The person's locale: a BCP 47 tag. */
  readonly locale?: string | undefined;
};

const short = v.pipe(v.string(), v.minLength(1), v.maxLength(256));
const workspace = v.pipe(short, v.transform(workspaceId));
const channel = v.pipe(short, v.transform(channelId));
const message = v.pipe(short, v.transform(messageId));
const user = v.pipe(short, v.transform(userId));

export const threadSchema = v.object({
  platform: v.picklist(PLATFORMS),
  workspace,
  channel,
  root: message,
});

/** Parses a thread that was stored as JSON. Throws if it is invalid. */
export const parseThread = (json: string): Thread => v.parse(threadSchema, JSON.parse(json));

export const attachmentSchema = v.object({
  id: v.string(),
  name: v.string(),
  mimetype: v.string(),
  bytes: v.number(),
  ms: v.optional(v.number()),
});

/** A picture that is stored with a turn or a job. The fronts read none. */
export const storedPictureSchema = v.object({
  ...attachmentSchema.entries,
  origin: v.optional(v.object({ author: user, message })),
});

const action = v.object({ name: short, args: v.pipe(v.array(v.string()), v.readonly()) });

/** The message to which a person applied a message command. */
export const targetMessageSchema = v.object({
  thread: threadSchema,
  id: message,
  author: user,
  /** The workspace of the author, if the platform sent it: in an organization and in shared channels not that of the interaction. */
  authorWorkspace: v.optional(workspace),
  /** Whether a bot wrote it: this one, or another. */
  isBot: v.optional(v.boolean()),
  text: v.string(),
  attachments: v.array(attachmentSchema),
});
export type TargetMessage = v.InferOutput<typeof targetMessageSchema>;

/** What the person did. */
const payload = v.variant('kind', [
  /** A slash command. In Slack its only option is `text`: everything typed after the command. */
  v.object({
    kind: v.literal('command'),
    name: short,
    options: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
    attachments: v.optional(v.array(attachmentSchema), []),
  }),
  /** A message command (in Slack: a message shortcut). */
  v.object({
    kind: v.literal('on-message'),
    name: short,
    message: targetMessageSchema,
  }),
  /** A reaction that triggers a message command. The content of the message is not loaded yet. */
  v.object({ kind: v.literal('reacted'), name: short, message }),
  /** A control of a card was used. `chosen` holds the selected values. `card` is the message with the card. */
  v.object({ kind: v.literal('action'), action, chosen: v.array(v.string()), card: v.optional(message) }),
  /** A modal was submitted. */
  v.object({ kind: v.literal('form'), action, values: v.record(v.string(), v.string()) }),
  /** Slack's App Home was opened. */
  v.object({ kind: v.literal('home') }),
]);

/** An interaction as the platform reports it: everything that is not a message in a thread. */
export const interactionSchema = v.object({
  /** Identical for repeated deliveries of the same interaction. */
  id: short,
  platform: v.picklist(PLATFORMS),
  workspace,
  /** Absent in App Home. */
  channel: v.optional(channel),
  /** The thread in which it happened, if any. */
  thread: v.optional(threadSchema),
  /**
   * Slack: the thread has no known replies. Slack shows an ephemeral message only in a thread that has replies.
   */
  noReplies: v.optional(v.literal(true)),
  /** Outside of threads: the person's own thread in this channel. Discord only. */
  ownThread: v.optional(threadSchema),
  /** Discord: the bot is not a member there, so it can only respond to commands. A person has installed it for themselves. */
  botAbsent: v.optional(v.literal(true)),
  by: v.object({
    user,
    workspace,
    /** A BCP 47 tag, if the platform sends it with the interaction. */
    locale: v.optional(short),
    /** Whether the person is an administrator of the workspace; absent if the platform does not say. */
    admin: v.optional(v.boolean()),
    roles: v.optional(v.array(v.string()), []),
    /** Discord: the person must not see messages from before they joined the channel. */
    mayReadHistory: v.optional(v.literal(false)),
  }),
  /** The token for an ephemeral response to this interaction. Never logged. */
  responseToken: v.string(),
  /** Discord: the person sees "thinking" until the bot responds. */
  deferred: v.optional(v.boolean()),
  /** Slack: the trigger id that opens a modal, once, within 3 s. */
  triggerId: v.optional(v.pipe(v.string(), v.maxLength(500))),
  /** When `responseToken` expires (ms since 1970). */
  tokenExpiresAtMs: v.number(),
  /** When the front received it (ms since 1970). Absent in tasks from older versions. */
  receivedAt: v.optional(v.number()),
  payload,
});

export type Interaction = v.InferOutput<typeof interactionSchema>;
export type InteractionPayload = Interaction['payload'];
