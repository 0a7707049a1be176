import { CHANNEL, FLAG, MESSAGE } from './flags.ts';
import { namedBy } from './mentions.ts';
import { type AppPost, postAsOtherApp } from './other-apps.ts';
import { add } from './posting.ts';
import { record } from './record.ts';
import { hangThread, newThread, setReaction } from './routes/channels.ts';
import { directChannel } from './routes/users.ts';
import type { Channel, Message, User } from './state.ts';
import { addFile } from './uploads.ts';
import { isThread, type SimulatorContext } from './context.ts';

/** A file that a person sends. */
export type PersonFile = {
  readonly name: string;
  readonly content: Uint8Array;
  readonly contentType?: string | undefined;
  /** Seconds; with a voice message or a clip. */
  readonly durationSecs?: number | undefined;
  readonly waveform?: string | undefined;
};

export type Saying = {
  /** An id; `general` unless told. Threads are channels. */
  readonly channel?: string | undefined;
  /** The replied-to message, and whether its author is notified: yes by default. */
  readonly replyTo?: string | undefined;
  readonly ping?: boolean | undefined;
  readonly files?: readonly PersonFile[] | undefined;
  /** A voice message: one file without text. */
  readonly voice?: boolean | undefined;
  /** A message with a nonce that the channel already has is not posted again. */
  readonly nonce?: string | undefined;
};

/** Actions of people in Discord, by id or username. Each throws for what Discord would not permit. */
export type Persons = {
  userNamed(user: string): User;
  /** The DM between a person and the bot. */
  dm(user: string): string;
  /** A person posts; `@name` becomes a mention. Returns the message's id. */
  say(user: string, text: string, how?: Saying): string;
  /** A person forwards a message of another channel. */
  forward(user: string, message: string, to: string): string;
  /** Another app posts. Returns the message's id. */
  postAsOtherApp(name: string, post: AppPost): string;
  edit(user: string, message: string, text: string): void;
  remove(user: string, message: string): void;
  react(user: string, message: string, emoji: string, on?: boolean): void;
  /** A person opens a thread: on a message, or in a forum with a first message. Returns its id. */
  thread(user: string, on: string, name: string, text?: string): string;
  /** A moderator archives or locks a thread. */
  close(thread: string, how: { readonly archived?: boolean; readonly locked?: boolean }): void;
  /** The message in any channel. Throws if there is none. */
  message(id: string): Message;
};

export function personsOf(context: SimulatorContext): Persons {
  const { state } = context;
  const userNamed = (user: string): User => {
    const person = [...state.users.values()].find(
      ({ id, username }) => id === user || username === user.toLowerCase(),
    );
    if (!person || person.bot) throw new Error(`No such person: ${user}`);
    return person;
  };
  const message = (id: string): Message => {
    for (const inChannel of state.messages.values()) {
      const visible = inChannel.get(id);
      // A thread on a message starts with a stub of the same id.
      if (visible && visible.type !== MESSAGE.threadStarter) return visible;
    }
    throw new Error(`No such message: ${id}`);
  };
  const own = (user: string, id: string): Message => {
    const visible = message(id);
    if (visible.author !== userNamed(user).id) throw new Error(`${user} did not write ${id}`);
    return visible;
  };
  return {
    userNamed,
    message,
    dm: (user) => directChannel(context, userNamed(user).id).id,
    say: (user, text, how = {}) => say(context, userNamed(user), text, how),
    forward: (user, id, to) => forward(context, userNamed(user), message(id), to),
    postAsOtherApp: (name, post) => postAsOtherApp(context, name, post),
    edit(user, id, text) {
      const before = own(user, id);
      const content = typed(context, text);
      const { mentions } = namedBy(context, content);
      record(context, {
        kind: 'message',
        message: { ...before, content, mentions, editedAt: context.now() },
      });
    },
    remove(user, id) {
      const { channel } = own(user, id);
      record(context, { kind: 'removal', channel, id });
    },
    react: (user, id, emoji, on = true) => setReaction(context, message(id), emoji, userNamed(user).id, on),
    thread: (user, on, name, text = '') => startThread(context, userNamed(user), on, name, text),
    close(id, { archived, locked }) {
      const thread = placeFor(context, id);
      const changed = {
        ...thread,
        archived: archived ?? thread.archived ?? false,
        locked: locked ?? thread.locked ?? false,
      };
      record(context, { kind: 'channel', channel: changed });
    },
  };
}

function placeFor({ state }: SimulatorContext, id: string): Channel {
  const channel = state.channels.get(id);
  if (!channel) throw new Error(`No such channel: ${id}`);
  return channel;
}

/** A channel in which this person can write. */
export function placeOfPerson(context: SimulatorContext, user: User, id: string | undefined): Channel {
  const channel = placeFor(context, id ?? context.identity.channels[0]?.id ?? '');
  const guild = context.state.guilds.get(channel.guild ?? '');
  const chat = channel.recipients ?? [channel.recipient];
  const member = (guild ? guild.members : chat).includes(user.id);
  const privately = channel.type === CHANNEL.privateThread && !channel.members?.includes(user.id);
  if (!member || privately) throw new Error(`${user.username} is not in ${channel.name || channel.id}`);
  return channel;
}

/** Text as a client sends it: `@name` of a member is a mention. */
export function typed({ state }: SimulatorContext, text: string): string {
  const byName = new Map([...state.users.values()].map(({ id, username }) => [username, id]));
  return text.replaceAll(/(?<![\w<`])@([a-z0-9._]{2,32})/gi, (whole, name: string) => {
    const id = byName.get(name.toLowerCase());
    return id === undefined ? whole : `<@${id}>`;
  });
}

/** `id`: that of the first message of a post in a forum, which is the id of its thread. */
function say(
  context: SimulatorContext,
  user: User,
  text: string,
  how: Saying,
  id: () => string = () => context.ids.next(),
): string {
  const channel = placeOfPerson(context, user, how.channel);
  if (channel.type === CHANNEL.forum) throw new Error('A forum takes posts, not messages');
  if (channel.locked === true) throw new Error('This thread is locked');
  const again = sentBefore(context, user, channel, how.nonce);
  if (again) return again.id;
  const content = typed(context, text);
  const answered =
    how.replyTo === undefined ? undefined : context.state.messages.get(channel.id)?.get(how.replyTo);
  if (how.replyTo !== undefined && !answered) throw new Error(`No such message here: ${how.replyTo}`);
  const files = (how.files ?? []).map((file) => keep(context, channel.id, file));
  if (content.trim() === '' && files.length === 0) throw new Error('Nothing to send');
  const { mentions, everyone } = namedBy(context, content);
  const pinged = answered && how.ping !== false ? [answered.author] : [];
  const message: Message = {
    id: id(),
    channel: channel.id,
    author: user.id,
    content,
    type: answered ? MESSAGE.reply : MESSAGE.plain,
    flags: how.voice === true ? FLAG.voice : 0,
    embeds: [],
    components: [],
    files,
    reactions: [],
    mentions: [...new Set([...mentions, ...pinged])],
    ...(everyone ? { everyone } : {}),
    ...(how.nonce === undefined ? {} : { nonce: how.nonce }),
    ...(answered ? { reference: referenceTo(channel, answered.id) } : {}),
  };
  add(context, channel, message);
  return message.id;
}

/** The message that this person's client has already sent with this nonce. */
function sentBefore(
  { state }: SimulatorContext,
  { id }: User,
  channel: Channel,
  nonce: string | undefined,
): Message | undefined {
  if (nonce === undefined) return undefined;
  const messages = [...(state.messages.get(channel.id)?.values() ?? [])];
  return messages.find((one) => one.author === id && one.nonce === nonce);
}

const referenceTo = ({ id, guild }: Channel, message: string) => ({
  message,
  channel: id,
  ...(guild === undefined ? {} : { guild }),
});

/** Stores a person's file and returns its id. */
export function keep(
  context: SimulatorContext,
  channel: string,
  file: PersonFile,
  ephemeral = false,
): string {
  const { durationSecs, waveform } = file;
  const content = Buffer.from(file.content);
  const stored = {
    id: context.ids.next(),
    channel,
    filename: file.name,
    contentType: file.contentType ?? 'application/octet-stream',
    size: content.length,
    ...(durationSecs === undefined ? {} : { durationSecs }),
    ...(waveform === undefined ? {} : { waveform }),
    ...(ephemeral ? { ephemeral } : {}),
  };
  return addFile(context, stored, content);
}

function forward(context: SimulatorContext, user: User, from: Message, to: string): string {
  const channel = placeOfPerson(context, user, to);
  const { content, embeds, files, flags } = from;
  const guild = context.state.channels.get(from.channel)?.guild;
  const message: Message = {
    id: context.ids.next(),
    channel: channel.id,
    author: user.id,
    content: '',
    type: MESSAGE.plain,
    flags: FLAG.hasSnapshot,
    embeds: [],
    components: [],
    files: [],
    reactions: [],
    mentions: [],
    snapshot: { content, embeds, files, flags },
    reference: { message: from.id, channel: from.channel, ...(guild === undefined ? {} : { guild }) },
  };
  add(context, channel, message);
  return message.id;
}

function startThread(context: SimulatorContext, user: User, on: string, name: string, text: string): string {
  const forum = context.state.channels.get(on);
  if (forum) {
    const channel = placeOfPerson(context, user, on);
    if (channel.type !== CHANNEL.forum) throw new Error('Only a forum takes posts; threads hang on messages');
    const thread = newThread(context, channel, CHANNEL.publicThread, {
      id: context.ids.next(),
      owner: user.id,
      name,
    });
    record(context, { kind: 'channel', channel: thread });
    say(context, user, text, { channel: thread.id }, () => thread.id);
    return thread.id;
  }
  const message = [...context.state.messages.values()]
    .map((all) => all.get(on))
    .find((one) => one !== undefined);
  if (!message) throw new Error(`No such message: ${on}`);
  const channel = placeOfPerson(context, user, message.channel);
  if (channel.guild === undefined || isThread(channel))
    throw new Error('Threads hang in channels of a guild');
  if (context.state.channels.has(message.id)) throw new Error('There is a thread already');
  const thread = newThread(context, channel, CHANNEL.publicThread, { id: message.id, owner: user.id, name });
  hangThread(context, channel, message, thread);
  if (text !== '') say(context, user, text, { channel: thread.id });
  return thread.id;
}
