import { emitChanged, emitPosted } from './events.ts';
import { takeAway } from './methods/posting.ts';
import { presentMessage } from './present.ts';
import type { Channel, Message } from './state.ts';
import { tsOf, uuidOf } from './ticks.ts';
import { typed } from './words.ts';
import { channelNamed, record, type World } from './world.ts';

/** What people do in Slack. */
export type Persons = {
  /**
   * A person posts; the answer is the message's `ts`. `channel` is an id or name (`general` unless told; the person's
   * DM with the bot is `dm`), `thread` the ts of a root. Throws for unknown people, channels and threads.
   */
  say(user: string, text: string, where?: { channel?: string; thread?: string }): string;
  /** A person edits or deletes a message of theirs. */
  edit(user: string, channel: string, ts: string, text: string): void;
  remove(user: string, channel: string, ts: string): void;
};

/** The hands of the workspace's people. */
export function personsOf(world: World): Persons {
  const { identity, state } = world;
  const channelFor = (user: string, name: string): Channel => {
    if (!identity.users.some((known) => known.id === user)) throw new Error(`No such person: ${user}`);
    const channel = channelNamed(world, name === 'dm' ? user : name);
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
      const ts = tsOf(world.ticks.next());
      const thread = where.thread === undefined ? {} : { thread: where.thread };
      const clientId = uuidOf(`${identity.teamId}/${channel.id}/${ts}`);
      const message: Message = {
        channel: channel.id,
        ts,
        user,
        text: typed(text, identity),
        clientId,
        ...thread,
      };
      record(world, { kind: 'message', message });
      emitPosted(world, channel, message);
      return ts;
    },
    edit(user, name, ts, text) {
      const channel = channelFor(user, name);
      const before = own(user, channel, ts);
      const shown = presentMessage(world, before);
      const after = { ...before, text: typed(text, identity), editedAt: tsOf(world.ticks.next()) };
      record(world, { kind: 'message', message: after });
      emitChanged(world, channel, shown, after);
    },
    remove(user, name, ts) {
      const channel = channelFor(user, name);
      takeAway(world, channel, own(user, channel, ts));
    },
  };
}
