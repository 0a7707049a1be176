import * as z from 'zod/mini';

/** What is read of Discord's objects (docs: resources/message, resources/channel). Whatever else they hold is let go. */
const id = z.string().check(z.regex(/^\d{1,20}$/));
const flags = z._default(z.nullish(z.number()), 0);
const user = z.object({
  id,
  username: z.optional(z.string()),
  global_name: z.nullish(z.string()),
  bot: z.nullish(z.boolean()),
  system: z.nullish(z.boolean()),
});
const file = z.object({
  id,
  filename: z.string(),
  size: z.number(),
  url: z.string(),
  content_type: z.nullish(z.string()),
});
const files = z._default(z.nullish(z.array(file)), []);
const reference = z.nullish(
  z.object({ type: z.nullish(z.number()), message_id: z.nullish(id), channel_id: z.nullish(id) }),
);

export const rawMessage = z.object({
  id,
  channel_id: id,
  guild_id: z.nullish(id),
  type: z._default(z.nullish(z.number()), 0),
  flags,
  content: z._default(z.nullish(z.string()), ''),
  author: z.nullish(user),
  webhook_id: z.nullish(id),
  application_id: z.nullish(id),
  edited_timestamp: z.nullish(z.string()),
  mentions: z._default(z.nullish(z.array(user)), []),
  mention_roles: z._default(z.nullish(z.array(id)), []),
  attachments: files,
  message_reference: reference,
  referenced_message: z.nullish(
    z.object({
      id,
      author: z.nullish(user),
      message_reference: reference,
      interaction_metadata: z.nullish(z.object({ user: z.nullish(user) })),
    }),
  ),
  message_snapshots: z.nullish(
    z.array(z.object({ message: z.object({ content: z.nullish(z.string()), attachments: files }) })),
  ),
});
export type RawMessage = z.infer<typeof rawMessage>;
export type RawFile = z.infer<typeof file>;

export const rawChannel = z.object({
  id,
  type: z.number(),
  guild_id: z.nullish(id),
  parent_id: z.nullish(id),
  last_message_id: z.nullish(id),
});
export type RawChannel = z.infer<typeof rawChannel>;

const role = z.object({ id, tags: z.nullish(z.object({ bot_id: z.nullish(id) })) });

export const rawGuild = z.object({
  id,
  joined_at: z.nullish(z.string()),
  channels: z._default(z.nullish(z.array(rawChannel)), []),
  threads: z._default(z.nullish(z.array(rawChannel)), []),
  roles: z._default(z.nullish(z.array(role)), []),
});
export type RawGuild = z.infer<typeof rawGuild>;

export const rawReady = z.object({
  user: z.object({ id }),
  session_id: z.string(),
  resume_gateway_url: z.string(),
  /** All that the bot is in, those that cannot be reached for now included. */
  guilds: z.optional(z.array(z.object({ id }))),
});
export type RawReady = z.infer<typeof rawReady>;

export const rawRemoval = z.object({ id, channel_id: id, guild_id: z.nullish(id) });
export const rawLeft = z.object({ id, unavailable: z.nullish(z.boolean()) });
export const rawRemovals = z.object({ ids: z.array(id), channel_id: id, guild_id: z.nullish(id) });
export const rawMessages = z.array(rawMessage);

const THREADS = new Set([10, 11, 12]);
export const isThread = ({ type }: RawChannel): boolean => THREADS.has(type);
