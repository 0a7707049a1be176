import * as z from 'zod/mini';
import { channelId, messageId, userId, workspaceId } from './ids.ts';

const short = z.string().check(z.minLength(1), z.maxLength(256));
const workspace = z.pipe(short, z.transform(workspaceId));
const channel = z.pipe(short, z.transform(channelId));
const message = z.pipe(short, z.transform(messageId));
const user = z.pipe(short, z.transform(userId));

export const threadSchema = z.object({
  platform: z.enum(['slack', 'discord']),
  workspace,
  channel,
  root: message,
});

export const attachmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  mimetype: z.string(),
  bytes: z.number(),
});

const action = z.object({ name: short, args: z.readonly(z.array(z.string())) });

/** What a person called, pressed or filled in. */
const call = z.discriminatedUnion('kind', [
  /** A slash command. Slack's only option is `text`: all that was typed behind the command. */
  z.object({
    kind: z.literal('command'),
    name: short,
    options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    attachments: z._default(z.array(attachmentSchema), []),
  }),
  /** A command of a message's menu: Slack calls it a message shortcut. */
  z.object({
    kind: z.literal('on-message'),
    name: short,
    message: z.object({
      thread: threadSchema,
      id: message,
      author: user,
      text: z.string(),
      attachments: z.array(attachmentSchema),
    }),
  }),
  /** A reaction that stands for a command of that message's menu. What is in the message is still to be looked up. */
  z.object({ kind: z.literal('reacted'), name: short, message }),
  /** A control of a card. `chosen` holds what was chosen, of a choice. `card` is the message that it was on. */
  z.object({ kind: z.literal('action'), action, chosen: z.array(z.string()), card: z.optional(message) }),
  /** A form that was sent. */
  z.object({ kind: z.literal('form'), action, values: z.record(z.string(), z.string()) }),
  /** Slack's App Home was opened. */
  z.object({ kind: z.literal('home') }),
]);

/** How a person and what they did reaches the bot, when it is not a message in a thread. */
export const invocationSchema = z.object({
  /** The same for a repeated delivery of one call. */
  id: short,
  platform: z.enum(['slack', 'discord']),
  workspace,
  /** Absent in App Home. */
  channel: z.optional(channel),
  /** The thread in which it was called, if it was in one. */
  thread: z.optional(threadSchema),
  /** Called outside of threads: the conversation that this person has there alone. Discord has such. */
  own: z.optional(threadSchema),
  by: z.object({
    user,
    workspace,
    /** A BCP 47 tag, where the platform tells it along with the call. */
    locale: z.optional(short),
    /** Whether the platform says that this person administers the workspace; absent where it does not say. */
    admin: z.optional(z.boolean()),
    roles: z._default(z.array(z.string()), []),
  }),
  /** By which the platform lets the bot answer this call, and nobody else sees it. Never logged. */
  ticket: z.string(),
  /** Slack: by which a form can be opened, once and within 3 s. */
  trigger: z.optional(z.string().check(z.maxLength(500))),
  /** The ticket is worth nothing after this (ms since 1970). */
  until: z.number(),
  call,
});

export type Invocation = z.infer<typeof invocationSchema>;
export type Call = Invocation['call'];
