import * as v from 'valibot';
import { type Json, jsonShape } from './json.ts';

const userShape = v.object({
  id: v.string(),
  /** Lower case, unique. */
  username: v.string(),
  /** The display name. */
  name: v.string(),
  bot: v.optional(v.boolean()),
  /** As Discord sends it with interactions; `en-US` unless told. */
  locale: v.optional(v.string()),
  /** Accepts no DMs from the bot (error 50007). */
  closed: v.optional(v.boolean()),
});

const guildShape = v.object({
  /** The preferred locale; en-US by default. */
  locale: v.optional(v.string()),
  id: v.string(),
  name: v.string(),
  owner: v.string(),
  /** People, without the bot. */
  members: v.array(v.string()),
  /** 0 to 3: the boost level, which decides the maximum file size. */
  tier: v.number(),
  /** Whether the bot is a member. Otherwise people can still use it as a user-installed app. */
  installed: v.boolean(),
  /** Permissions that both @everyone and the bot's own role lack, as a decimal bit set. */
  denied: v.string(),
  /** Until when the bot is timed out (ms since 1970). */
  botTimedOutUntil: v.optional(v.number()),
  /** Roles with their permissions (a decimal bit set) and members. */
  roles: v.optional(
    v.array(
      v.object({ id: v.string(), name: v.string(), permissions: v.string(), members: v.array(v.string()) }),
    ),
  ),
});

const channelShape = v.object({
  id: v.string(),
  type: v.number(),
  name: v.string(),
  guild: v.optional(v.string()),
  /** Of a thread: its parent channel. */
  parent: v.optional(v.string()),
  /** Of a DM: the person. */
  recipient: v.optional(v.string()),
  /** Of a chat between people, of which the bot is no member: these. */
  recipients: v.optional(v.array(v.string())),
  /** Of a thread: its creator. */
  owner: v.optional(v.string()),
  /** Of a private thread: its members. */
  members: v.optional(v.array(v.string())),
  archived: v.optional(v.boolean()),
  locked: v.optional(v.boolean()),
  /** Minutes without a message after which a thread archives itself, and since when they count (ms since 1970). */
  autoArchive: v.optional(v.number()),
  active: v.optional(v.number()),
  /** Permissions that only the bot is denied here, as a decimal bit set. */
  denied: v.optional(v.string()),
  /** Overwrites of roles (type 0; that of everyone has the guild's id) and members (1): decimal bit sets. */
  overwrites: v.optional(
    v.array(v.object({ id: v.string(), type: v.number(), allow: v.string(), deny: v.string() })),
  ),
});

const fileShape = v.object({
  id: v.string(),
  channel: v.string(),
  filename: v.string(),
  /** The original name without its ending, if Discord changed it. */
  title: v.optional(v.string()),
  contentType: v.string(),
  /** In bytes. */
  size: v.number(),
  description: v.optional(v.string()),
  durationSecs: v.optional(v.number()),
  waveform: v.optional(v.string()),
  /** From a command or a modal, or in an ephemeral message. */
  ephemeral: v.optional(v.boolean()),
  width: v.optional(v.number()),
  height: v.optional(v.number()),
});

const messageShape = v.object({
  id: v.string(),
  channel: v.string(),
  author: v.string(),
  /** Of a message of the app by an interaction or a webhook: the application's id. */
  webhook: v.optional(v.string()),
  content: v.string(),
  type: v.number(),
  flags: v.number(),
  /** ms since 1970. */
  editedAt: v.optional(v.number()),
  nonce: v.optional(v.union([v.string(), v.number()])),
  reference: v.optional(
    v.object({ message: v.string(), channel: v.string(), guild: v.optional(v.string()) }),
  ),
  /** A forwarded message: its content at that time. */
  snapshot: v.optional(
    v.object({
      content: v.string(),
      embeds: v.optional(v.array(jsonShape)),
      files: v.array(v.string()),
      flags: v.number(),
    }),
  ),
  embeds: v.array(jsonShape),
  components: v.array(jsonShape),
  files: v.array(v.string()),
  reactions: v.array(v.object({ emoji: v.string(), users: v.array(v.string()) })),
  /** The notified people. */
  mentions: v.array(v.string()),
  everyone: v.optional(v.boolean()),
  /** Of a response to a command or a click: the id of the interaction. */
  interaction: v.optional(v.string()),
  /** Only this person sees it. */
  ephemeralTo: v.optional(v.string()),
});

const interactionShape = v.object({
  id: v.string(),
  token: v.string(),
  /** As `INTERACTION_TYPE` names it. */
  type: v.number(),
  user: v.string(),
  channel: v.string(),
  guild: v.optional(v.string()),
  /** ms since 1970. */
  at: v.number(),
  /** Of a command. */
  name: v.optional(v.string()),
  commandType: v.optional(v.number()),
  /** The message of the clicked component, or of the button that opened the modal. */
  source: v.optional(v.string()),
  /** Of a submitted modal: the interaction that opened it. */
  form: v.optional(v.string()),
  /** Of a user-installed app, in a guild without the bot, or elsewhere. */
  userInstall: v.optional(v.boolean()),
  /** As `RESPONSE_TYPE` names it; absent before the response. */
  answered: v.optional(v.number()),
  /** The message of `@original`. */
  original: v.optional(v.string()),
  /** The modal or the choices in the app's response. */
  shown: v.optional(jsonShape),
  /** The number of posted follow-ups. */
  followUps: v.number(),
});

const changeShape = v.variant('kind', [
  v.object({ kind: v.literal('user'), user: userShape }),
  v.object({ kind: v.literal('guild'), guild: guildShape }),
  v.object({ kind: v.literal('channel'), channel: channelShape }),
  v.object({ kind: v.literal('channelGone'), id: v.string() }),
  v.object({ kind: v.literal('message'), message: messageShape }),
  v.object({ kind: v.literal('removal'), channel: v.string(), id: v.string() }),
  /** `content` is base64; empty on the page. */
  v.object({ kind: v.literal('file'), file: fileShape, content: v.string() }),
  v.object({ kind: v.literal('interaction'), interaction: interactionShape }),
  v.object({ kind: v.literal('typing'), channel: v.string(), user: v.string(), until: v.number() }),
  /** All commands of one scope: `global`, or the id of a guild. */
  v.object({ kind: v.literal('commands'), scope: v.string(), commands: v.array(jsonShape) }),
]);

export type User = v.InferOutput<typeof userShape>;
export type Guild = v.InferOutput<typeof guildShape>;
export type Channel = v.InferOutput<typeof channelShape>;
export type FileRecord = v.InferOutput<typeof fileShape>;
export type Message = v.InferOutput<typeof messageShape>;
export type Interaction = v.InferOutput<typeof interactionShape>;
/** One change. The page shows changes, the journal stores them, and a state is the sum of them. */
export type Change = v.InferOutput<typeof changeShape>;

/** Parses a change from JSON; undefined for anything else. */
export const parseChange = (value: unknown): Change | undefined =>
  v.parse(v.fallback(v.optional(changeShape), undefined), value);

/** The state of the simulated Discord. */
export type State = {
  readonly users: Map<string, User>;
  readonly guilds: Map<string, Guild>;
  readonly channels: Map<string, Channel>;
  /** By channel, then by id, in the order of arrival. */
  readonly messages: Map<string, Map<string, Message>>;
  /** By id; `content` is base64. */
  readonly files: Map<string, { readonly file: FileRecord; readonly content: string }>;
  readonly interactions: Map<string, Interaction>;
  /** By channel, then by person: until when they are typing, in ms since 1970. */
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

/** The shortest list of changes that rebuilds this state. Typing is not stored. */
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
  const map = maps.get(key);
  if (map) return map;
  const fresh = new Map<string, T>();
  maps.set(key, fresh);
  return fresh;
}
