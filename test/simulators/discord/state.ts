import * as z from 'zod/mini';
import { type Json, jsonShape } from './json.ts';

const userShape = z.object({
  id: z.string(),
  /** Lower case, unique. */
  username: z.string(),
  /** What others read. */
  name: z.string(),
  bot: z.optional(z.boolean()),
  /** As Discord sends it with interactions; `en-US` unless told. */
  locale: z.optional(z.string()),
  /** Takes no DMs from the bot (error 50007). */
  closed: z.optional(z.boolean()),
});

const guildShape = z.object({
  /** What is spoken there; en-US unless told. */
  locale: z.optional(z.string()),
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  /** People; the bot is not among them. */
  members: z.array(z.string()),
  /** 0 to 3: how much its members boost it, which decides how large a file may be. */
  tier: z.number(),
  /** Whether the bot is a member. Where it is not, people can still use it as an app of their own. */
  installed: z.boolean(),
  /** Permissions that neither everyone nor the bot's own role has, as a decimal bit set. */
  denied: z.string(),
  /** Until when the bot is timed out (ms since 1970). */
  botTimedOutUntil: z.optional(z.number()),
  /** Roles, with what they let people do (a decimal bit set) and who has them. */
  roles: z.optional(
    z.array(
      z.object({ id: z.string(), name: z.string(), permissions: z.string(), members: z.array(z.string()) }),
    ),
  ),
});

const channelShape = z.object({
  id: z.string(),
  type: z.number(),
  name: z.string(),
  guild: z.optional(z.string()),
  /** Of a thread: the channel it hangs in. */
  parent: z.optional(z.string()),
  /** Of a DM: the person. */
  recipient: z.optional(z.string()),
  /** Of a thread: who made it. */
  owner: z.optional(z.string()),
  /** Of a private thread: who sees it. */
  members: z.optional(z.array(z.string())),
  archived: z.optional(z.boolean()),
  locked: z.optional(z.boolean()),
  /** Minutes without a message after which a thread archives itself, and since when they count (ms since 1970). */
  autoArchive: z.optional(z.number()),
  active: z.optional(z.number()),
  /** Permissions that the bot alone is denied here, as a decimal bit set. */
  denied: z.optional(z.string()),
  /** What roles (type 0; everyone's has the guild's id) and members (1) are allowed and denied here: decimal bit sets. */
  overwrites: z.optional(
    z.array(z.object({ id: z.string(), type: z.number(), allow: z.string(), deny: z.string() })),
  ),
});

const fileShape = z.object({
  id: z.string(),
  channel: z.string(),
  filename: z.string(),
  contentType: z.string(),
  /** In bytes. */
  size: z.number(),
  description: z.optional(z.string()),
  durationSecs: z.optional(z.number()),
  waveform: z.optional(z.string()),
  /** Given with a command, a form, or in a message that one person sees. */
  ephemeral: z.optional(z.boolean()),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
});

const messageShape = z.object({
  id: z.string(),
  channel: z.string(),
  author: z.string(),
  /** Of a message of the app by an interaction or a webhook: the application's id. */
  webhook: z.optional(z.string()),
  content: z.string(),
  type: z.number(),
  flags: z.number(),
  /** ms since 1970. */
  editedAt: z.optional(z.number()),
  nonce: z.optional(z.union([z.string(), z.number()])),
  reference: z.optional(
    z.object({ message: z.string(), channel: z.string(), guild: z.optional(z.string()) }),
  ),
  /** A forwarded message: what it held then. */
  snapshot: z.optional(z.object({ content: z.string(), files: z.array(z.string()), flags: z.number() })),
  embeds: z.array(jsonShape),
  components: z.array(jsonShape),
  files: z.array(z.string()),
  reactions: z.array(z.object({ emoji: z.string(), users: z.array(z.string()) })),
  /** Who was notified. */
  mentions: z.array(z.string()),
  everyone: z.optional(z.boolean()),
  /** Of what answers a command or a press: the id of the interaction. */
  interaction: z.optional(z.string()),
  /** Only this person sees it. */
  ephemeralTo: z.optional(z.string()),
});

const interactionShape = z.object({
  id: z.string(),
  token: z.string(),
  /** As `ASKED` names it. */
  type: z.number(),
  user: z.string(),
  channel: z.string(),
  guild: z.optional(z.string()),
  /** ms since 1970. */
  at: z.number(),
  /** Of a command. */
  name: z.optional(z.string()),
  commandType: z.optional(z.number()),
  /** The message that the pressed component, or the form's button, belongs to. */
  source: z.optional(z.string()),
  /** Of a form that was sent: the interaction that it answered. */
  form: z.optional(z.string()),
  /** As an app of the person's own, in a guild without the bot, or elsewhere. */
  userInstall: z.optional(z.boolean()),
  /** As `ANSWER` names it; absent until the app has answered. */
  answered: z.optional(z.number()),
  /** The message that `@original` stands for. */
  original: z.optional(z.string()),
  /** The form or the choices that the app answered with. */
  shown: z.optional(jsonShape),
  /** How many follow-ups were posted. */
  followUps: z.number(),
});

const changeShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), user: userShape }),
  z.object({ kind: z.literal('guild'), guild: guildShape }),
  z.object({ kind: z.literal('channel'), channel: channelShape }),
  z.object({ kind: z.literal('channelGone'), id: z.string() }),
  z.object({ kind: z.literal('message'), message: messageShape }),
  z.object({ kind: z.literal('removal'), channel: z.string(), id: z.string() }),
  /** `content` is base64; those who only look get it empty. */
  z.object({ kind: z.literal('file'), file: fileShape, content: z.string() }),
  z.object({ kind: z.literal('interaction'), interaction: interactionShape }),
  z.object({ kind: z.literal('typing'), channel: z.string(), user: z.string(), until: z.number() }),
  /** All commands of one scope: `global`, or the id of a guild. */
  z.object({ kind: z.literal('commands'), scope: z.string(), commands: z.array(jsonShape) }),
]);

export type User = z.infer<typeof userShape>;
export type Guild = z.infer<typeof guildShape>;
export type Channel = z.infer<typeof channelShape>;
export type FileRecord = z.infer<typeof fileShape>;
export type Message = z.infer<typeof messageShape>;
export type Interaction = z.infer<typeof interactionShape>;
/** One thing that happened. The page draws changes, the journal keeps them, and a state is the sum of them. */
export type Change = z.infer<typeof changeShape>;

/** Reads a change that was written as JSON; undefined for anything else. */
export const parseChange = (value: unknown): Change | undefined => changeShape.safeParse(value).data;

/** Everything that the simulated Discord holds. */
export type State = {
  readonly users: Map<string, User>;
  readonly guilds: Map<string, Guild>;
  readonly channels: Map<string, Channel>;
  /** By channel, then by id, in the order of arrival. */
  readonly messages: Map<string, Map<string, Message>>;
  /** By id; `content` is base64. */
  readonly files: Map<string, { readonly file: FileRecord; readonly content: string }>;
  readonly interactions: Map<string, Interaction>;
  /** By channel, then by person: until when they are shown as typing, in ms since 1970. */
  readonly typing: Map<string, Map<string, number>>;
  readonly commands: Map<string, readonly Json[]>;
};

export const emptyState = (): State => ({
  users: new Map(),
  guilds: new Map(),
  channels: new Map(),
  messages: new Map(),
  files: new Map(),
  interactions: new Map(),
  typing: new Map(),
  commands: new Map(),
});

/** Adds one change to the state. */
export function applyChange(state: State, change: Change): void {
  switch (change.kind) {
    case 'user':
      state.users.set(change.user.id, change.user);
      return;
    case 'guild':
      state.guilds.set(change.guild.id, change.guild);
      return;
    case 'channel':
      state.channels.set(change.channel.id, change.channel);
      return;
    case 'channelGone':
      state.channels.delete(change.id);
      state.messages.delete(change.id);
      return;
    case 'message':
      within(state.messages, change.message.channel).set(change.message.id, change.message);
      state.typing.get(change.message.channel)?.delete(change.message.author);
      return;
    case 'removal':
      state.messages.get(change.channel)?.delete(change.id);
      return;
    case 'file':
      state.files.set(change.file.id, { file: change.file, content: change.content });
      return;
    case 'interaction':
      state.interactions.set(change.interaction.id, change.interaction);
      return;
    case 'typing':
      within(state.typing, change.channel).set(change.user, change.until);
      return;
    case 'commands':
      state.commands.set(change.scope, change.commands);
  }
}

/** The shortest list of changes that makes this state again. Who is typing is not kept. */
export function changesOf(state: State): Change[] {
  return [
    ...[...state.users.values()].map((user): Change => ({ kind: 'user', user })),
    ...[...state.guilds.values()].map((guild): Change => ({ kind: 'guild', guild })),
    ...[...state.channels.values()].map((channel): Change => ({ kind: 'channel', channel })),
    ...[...state.files.values()].map((one): Change => ({ kind: 'file', ...one })),
    ...[...state.messages.values()].flatMap((inChannel) =>
      [...inChannel.values()].map((message): Change => ({ kind: 'message', message })),
    ),
    ...[...state.interactions.values()].map((interaction): Change => ({ kind: 'interaction', interaction })),
    ...[...state.commands].map(([scope, commands]): Change => ({
      kind: 'commands',
      scope,
      commands: [...commands],
    })),
  ];
}

function within<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const known = maps.get(key);
  if (known) return known;
  const fresh = new Map<string, T>();
  maps.set(key, fresh);
  return fresh;
}
