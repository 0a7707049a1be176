import { emitChanged, emitEdited, emitPosted, emitReaction, emitStopped } from './events.ts';
import { addFile, removeFiles, type Upload } from './files.ts';
import { teamOf } from './identity.ts';
import { withReaction } from './methods/users.ts';
import { takeAway } from './methods/posting.ts';
import { presentMessage } from './present.ts';
import { type Channel, type Message, statusKey } from './state.ts';
import { tsOf, uuidOf } from './ticks.ts';
import { typed } from './typed-text.ts';
import { attachmentsOf, type SharedContent } from './shared-content.ts';
import { channelNamed, isStreaming, record, type SimulatorContext } from './context.ts';

/** Actions of people in Slack. */
export type Persons = {
  /**
   * A person posts; returns the message's `ts`. `channel` is an id or name (`general` by default; the person's DM
   * with the bot is `dm`), `thread` the ts of a root. Throws for unknown people, channels and threads.
   */
  say(user: string, text: string, where?: Where): string;
  /** A person edits or deletes a message of theirs. */
  edit(user: string, channel: string, ts: string, text: string): void;
  /** With its files; those of a message that the app deletes stay. */
  remove(user: string, channel: string, ts: string): void;
  /** A person adds a reaction to a message. */
  react(user: string, channel: string, ts: string, name: string): void;
  /**
   * A person clicks Slack's own Stop: the streams of this thread end, and the app gets an event. `thread` is the ts
   * of its root, or of a message in it. Throws where Slack shows no Stop: nothing is in progress, or the app is not
   * subscribed.
   */
  stop(user: string, channel: string, thread: string): void;
};

/** The channel of a post, and its files. */
export type Where = SharedContent & {
  readonly channel?: string | undefined;
  readonly thread?: string | undefined;
  readonly files?: readonly Upload[] | undefined;
  /** Slack's `client_msg_id`: a message with an id that the channel already has is not posted again. */
  readonly clientId?: string | undefined;
};

/** The actions of the workspace's people. */
export function personsOf(context: SimulatorContext): Persons {
  const { identity, state } = context;
  const channelFor = (user: string, name: string): Channel => {
    if (!identity.users.some((person) => person.id === user)) throw new Error(`No such person: ${user}`);
    const channel = channelNamed(context, name === 'dm' ? user : name);
    if (channel.archived) throw new Error(`${channel.name} is archived`);
    if (!channel.members.includes(user)) throw new Error(`${user} is not in ${channel.name}`);
    return channel;
  };
  const own = (user: string, channel: Channel, ts: string): Message => {
    const message = state.messages.get(channel.id)?.get(ts);
    if (!message || message.user !== user) throw new Error(`${user} has no message ${ts}`);
    return message;
  };
  return {
    say(user, text, where = {}) {
      const channel = channelFor(user, where.channel ?? 'general');
      const root = where.thread === undefined ? undefined : state.messages.get(channel.id)?.get(where.thread);
      if (where.thread !== undefined && (!root || root.thread))
        throw new Error(`No such thread: ${where.thread}`);
      if (root?.ephemeralTo !== undefined)
        throw new Error('Slack has no threads below messages that only one person sees.');
      const messages = state.messages.get(channel.id)?.values() ?? [];
      const again = [...messages].find(
        ({ clientId }) => clientId !== undefined && clientId === where.clientId,
      );
      if (again) return again.ts;
      const foreign = teamOf(identity, user) !== identity.teamId;
      const files = (where.files ?? []).map((upload) => addFile(context, user, upload, foreign));
      const ts = tsOf(context.ticks.next());
      const thread = where.thread === undefined ? {} : { thread: where.thread };
      const clientId = where.clientId ?? uuidOf(`${identity.teamId}/${channel.id}/${ts}`);
      const attachments = attachmentsOf(context, user, where);
      const message: Message = {
        channel: channel.id,
        ts,
        user,
        text: typed(text, identity),
        clientId,
        ...thread,
        ...(files.length > 0 ? { files } : {}),
        ...(attachments.length > 0 ? { attachments } : {}),
      };
      record(context, { kind: 'message', message });
      emitPosted(context, channel, message);
      return ts;
    },
    edit(user, name, ts, text) {
      const channel = channelFor(user, name);
      const before = own(user, channel, ts);
      const json = presentMessage(context, before);
      const after = { ...before, text: typed(text, identity), editedAt: tsOf(context.ticks.next()) };
      record(context, { kind: 'message', message: after });
      emitEdited(context, channel, json, after);
    },
    remove(user, name, ts) {
      const channel = channelFor(user, name);
      const message = own(user, channel, ts);
      takeAway(context, channel, message);
      removeFiles(context, message);
    },
    react(user, name, ts, reaction) {
      const channel = channelFor(user, name);
      const message = state.messages.get(channel.id)?.get(ts);
      if (!message) throw new Error(`No such message: ${ts}`);
      record(context, {
        kind: 'message',
        message: withReaction(message, reaction, (users) => [...users, user]),
      });
      emitReaction(context, channel, message, user, reaction);
    },
    stop: (user, name, thread) => stop(context, channelFor(user, name), user, thread),
  };
}

function stop(context: SimulatorContext, channel: Channel, user: string, ts: string): void {
  if (!context.identity.subscriptions.includes('agent_session_stopped'))
    throw new Error('The app does not listen to Stop');
  const inChannel = context.state.messages.get(channel.id);
  const thread = inChannel?.get(ts)?.thread ?? ts;
  const streams = [...(inChannel?.values() ?? [])].filter(
    (message) => (message.thread ?? message.ts) === thread && isStreaming(context, message),
  );
  const session = context.state.sessions.get(statusKey(channel.id, thread));
  if (streams.length === 0 && session?.status !== 'processing') throw new Error('Nothing is under way here');
  if (session?.covered) throw new Error('A status stands where the Stop would be');
  for (const message of streams) {
    const before = presentMessage(context, message);
    const startedAt = message.stream?.startedAt ?? context.now();
    const after: Message = { ...message, stream: { startedAt, open: false, stoppedBy: user } };
    record(context, { kind: 'message', message: after });
    emitChanged(context, channel, before, after);
  }
  emitStopped(context, channel, { user, thread, streams: streams.map((message) => message.ts) });
}
