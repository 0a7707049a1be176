import * as v from 'valibot';
import { removeRejectedCharacters } from '../../../../domain/index.ts';

/**
 * Schemas of the fields that are read of Discord's objects (docs: resources/message, resources/channel).
 * Other fields are dropped.
 */
const id = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
/** Text of people, without the characters that SQS rejects. */
const text = v.pipe(v.string(), v.transform(removeRejectedCharacters));
const flags = v.optional(v.nullish(v.number()), 0);
const user = v.object({
  id,
  username: v.optional(text),
  global_name: v.nullish(text),
  bot: v.nullish(v.boolean()),
  system: v.nullish(v.boolean()),
});
const file = v.object({
  id,
  filename: text,
  title: v.nullish(text),
  size: v.number(),
  url: v.string(),
  content_type: v.nullish(v.string()),
});
const files = v.optional(v.nullish(v.array(file)), []);
/** In these, other apps write. `getEmbedWords` reads them. */
const embeds = v.fallback(v.nullish(v.array(v.unknown())), undefined);
/** What a forwarded message contains. It does not say whose it is. */
const forwards = v.nullish(
  v.array(v.object({ message: v.object({ content: v.nullish(text), attachments: files, embeds }) })),
);
const reference = v.nullish(
  v.object({ type: v.nullish(v.number()), message_id: v.nullish(id), channel_id: v.nullish(id) }),
);

/** A row of buttons. Other components are ignored. */
const row = v.object({ components: v.nullish(v.array(v.object({ custom_id: v.nullish(v.string()) }))) });

export const rawMessage = v.object({
  id,
  channel_id: id,
  guild_id: v.nullish(id),
  type: v.optional(v.nullish(v.number()), 0),
  flags,
  content: v.optional(v.nullish(text), ''),
  author: v.nullish(user),
  webhook_id: v.nullish(id),
  application_id: v.nullish(id),
  edited_timestamp: v.nullish(v.string()),
  mentions: v.optional(v.nullish(v.array(user)), []),
  mention_roles: v.optional(v.nullish(v.array(id)), []),
  attachments: files,
  sticker_items: v.optional(v.nullish(v.array(v.unknown())), []),
  poll: v.optional(v.unknown()),
  message_reference: reference,
  referenced_message: v.nullish(
    v.object({
      id,
      author: v.nullish(user),
      attachments: files,
      message_snapshots: forwards,
      components: v.fallback(v.optional(v.nullish(v.array(row)), []), []),
      message_reference: reference,
      interaction_metadata: v.nullish(v.object({ user: v.nullish(user) })),
    }),
  ),
  message_snapshots: forwards,
});
export type RawMessage = v.InferOutput<typeof rawMessage>;
export type RawFile = v.InferOutput<typeof file>;

export const rawChannel = v.object({
  id,
  type: v.number(),
  guild_id: v.nullish(id),
  parent_id: v.nullish(id),
  last_message_id: v.nullish(id),
});
export type RawChannel = v.InferOutput<typeof rawChannel>;

const role = v.object({ id, tags: v.nullish(v.object({ bot_id: v.nullish(id) })) });

/** In an outage of the guild, it has only `id` and `unavailable` (docs:events/gateway-events#guild-create). */
export const rawGuild = v.object({
  id,
  unavailable: v.nullish(v.boolean()),
  joined_at: v.nullish(v.string()),
  channels: v.optional(v.nullish(v.array(rawChannel)), []),
  threads: v.optional(v.nullish(v.array(rawChannel)), []),
  roles: v.optional(v.nullish(v.array(role)), []),
});
export type RawGuild = v.InferOutput<typeof rawGuild>;

export const rawReady = v.object({
  user: v.object({ id }),
  session_id: v.string(),
  resume_gateway_url: v.string(),
  /** All guilds of the bot, including unavailable ones. */
  guilds: v.optional(v.array(v.object({ id }))),
});
export type RawReady = v.InferOutput<typeof rawReady>;

export const rawRemoval = v.object({ id, channel_id: id, guild_id: v.nullish(id) });
export const rawLeft = v.object({ id, unavailable: v.nullish(v.boolean()) });
export const rawRemovals = v.object({ ids: v.array(id), channel_id: id, guild_id: v.nullish(id) });
export const rawMessages = v.array(rawMessage);

const THREADS = new Set([10, 11, 12]);
export const isThread = ({ type }: RawChannel): boolean => THREADS.has(type);
