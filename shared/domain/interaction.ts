import * as v from 'valibot';
import { channelId, messageId, userId, workspaceId } from './ids.ts';
import type { Thread } from './thread.ts';

const short = v.pipe(v.string(), v.minLength(1), v.maxLength(256));
const workspace = v.pipe(short, v.transform(workspaceId));
const channel = v.pipe(short, v.transform(channelId));
const message = v.pipe(short, v.transform(messageId));
const user = v.pipe(short, v.transform(userId));

export const threadSchema = v.object({
  platform: v.picklist(['slack', 'discord']),
  workspace,
  channel,
  root: message,
});

/** Reads a thread that was written as JSON. Throws for anything else. */
export const readThread = (json: string): Thread => v.parse(threadSchema, JSON.parse(json));

export const attachmentSchema = v.object({
  id: v.string(),
  name: v.string(),
  mimetype: v.string(),
  bytes: v.number(),
  ms: v.optional(v.number()),
});

const action = v.object({ name: short, args: v.pipe(v.array(v.string()), v.readonly()) });

/** A message that a person pointed at. */
export const targetMessageSchema = v.object({
  thread: threadSchema,
  id: message,
  author: user,
  text: v.string(),
  attachments: v.array(attachmentSchema),
});
export type TargetMessage = v.InferOutput<typeof targetMessageSchema>;

/** What a person called, pressed or filled in. */
const call = v.variant('kind', [
  /** A slash command. Slack's only option is `text`: all that was typed behind the command. */
  v.object({
    kind: v.literal('command'),
    name: short,
    options: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
    attachments: v.optional(v.array(attachmentSchema), []),
  }),
  /** A command of a message's menu: Slack calls it a message shortcut. */
  v.object({
    kind: v.literal('on-message'),
    name: short,
    message: targetMessageSchema,
  }),
  /** A reaction that stands for a command of that message's menu. What is in the message is still to be looked up. */
  v.object({ kind: v.literal('reacted'), name: short, message }),
  /** A control of a card. `chosen` holds what was chosen, of a choice. `card` is the message that it was on. */
  v.object({ kind: v.literal('action'), action, chosen: v.array(v.string()), card: v.optional(message) }),
  /** A form that was sent. */
  v.object({ kind: v.literal('form'), action, values: v.record(v.string(), v.string()) }),
  /** Slack's App Home was opened. */
  v.object({ kind: v.literal('home') }),
]);

/** How a person and what they did reaches the bot, when it is not a message in a thread. */
export const interactionSchema = v.object({
  /** The same for a repeated delivery of one call. */
  id: short,
  platform: v.picklist(['slack', 'discord']),
  workspace,
  /** Absent in App Home. */
  channel: v.optional(channel),
  /** The thread in which it was called, if it was in one. */
  thread: v.optional(threadSchema),
  /**
   * Slack: the thread is not known to have replies. A message that one person alone sees is shown in a thread that has some,
   * and nowhere in one that has none.
   */
  noReplies: v.optional(v.literal(true)),
  /** Called outside of threads: the conversation that this person has there alone. Discord has such. */
  own: v.optional(threadSchema),
  by: v.object({
    user,
    workspace,
    /** A BCP 47 tag, where the platform tells it along with the call. */
    locale: v.optional(short),
    /** Whether the platform says that this person administers the workspace; absent where it does not say. */
    admin: v.optional(v.boolean()),
    roles: v.optional(v.array(v.string()), []),
    /** Discord: they may not see what was said in the channel before they came. */
    mayReadHistory: v.optional(v.literal(false)),
  }),
  /** By which the platform lets the bot answer this call, and nobody else sees it. Never logged. */
  ticket: v.string(),
  /** Discord: whoever pressed is shown that the bot is thinking, until this call is answered. */
  deferred: v.optional(v.boolean()),
  /** Slack: by which a form can be opened, once and within 3 s. */
  trigger: v.optional(v.pipe(v.string(), v.maxLength(500))),
  /** The ticket is worth nothing after this (ms since 1970). */
  until: v.number(),
  /** When it reached the front (ms since 1970). Absent in tasks of a front that did not note it yet. */
  at: v.optional(v.number()),
  call,
});

export type Interaction = v.InferOutput<typeof interactionSchema>;
export type InteractionPayload = Interaction['call'];
