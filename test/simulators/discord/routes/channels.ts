import { CHANNEL, FLAG, MESSAGE, PERMISSION } from '../flags.ts';
import { isJson, type Json, stringOf } from '../json.ts';
import { post } from '../posting.ts';
import { presentChannel, presentMessage } from '../present.ts';
import { record } from '../record.ts';
import { type Fault, RefusalError, refuseFaults } from '../refusal.ts';
import { bot, type Call, created, done, ok, type Routes } from '../route.ts';
import type { Channel, Message } from '../state.ts';
import { channelOf, insist, may, messageChannelOf } from '../permissions.ts';
import { isArchived, isThread, messageOf, type SimulatorContext } from '../context.ts';
import { fault, lengthFaults, unknownFields } from '../check/faults.ts';

const here = ({ context, at }: Call): Channel => channelOf(context, at('channel_id'));
const within = ({ context, at }: Call): Channel => messageChannelOf(context, at('channel_id'));
const ARCHIVE_AFTER: readonly unknown[] = [undefined, null, 60, 1_440, 4_320, 10_080];
/** Of one guild: https://support.discord.com/hc/en-us/articles/4403205878423-Threads-FAQ. */
const ACTIVE_THREADS_MOST = 1_000;
const NAMED = ['name', 'auto_archive_duration', 'rate_limit_per_user'];

export const CHANNELS: Routes = {
  'GET /channels/{channel_id}': bot(5, 1_000, (call) => ok(presentChannel(call.context, here(call)))),
  'PATCH /channels/{channel_id}': bot(5, 5_000, (call) => ok(change(call))),
  'DELETE /channels/{channel_id}': bot(5, 5_000, (call) => {
    const channel = here(call);
    const presented = presentChannel(call.context, channel);
    if (channel.type === CHANNEL.dm) return ok(presented);
    insist(call.context, channel, PERMISSION.manageThreads);
    record(call.context, { kind: 'channelGone', id: channel.id });
    return ok(presented);
  }),
  'POST /channels/{channel_id}/messages/{message_id}/threads': bot(5, 5_000, (call) =>
    created(presentChannel(call.context, fromMessage(call))),
  ),
  'POST /channels/{channel_id}/threads': bot(5, 5_000, (call) => created(alone(call))),
  'GET /guilds/{guild_id}/threads/active': bot(5, 5_000, ({ context, at }) =>
    ok({
      threads: activeThreads(context, at('guild_id')).map((one) => presentChannel(context, one)),
      members: [],
    }),
  ),
  'PUT /channels/{channel_id}/thread-members/@me': bot(5, 5_000, (call) => {
    const thread = here(call);
    if (!isThread(thread)) throw new RefusalError(50024);
    if (isArchived(call.context, thread)) throw new RefusalError(50083);
    return done;
  }),
  'PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me': bot(1, 250, react),
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me': bot(1, 250, unreact),
};

const activeThreads = (context: SimulatorContext, guild: string | undefined): Channel[] =>
  [...context.state.channels.values()].filter(
    (one) => one.guild === guild && isThread(one) && !isArchived(context, one),
  );

/** Throws 160006 if the guild has the most active threads, or 160007 in an announcement channel. */
function refuseMoreThreads(context: SimulatorContext, { guild, type }: Channel): void {
  if (activeThreads(context, guild).length < ACTIVE_THREADS_MOST) return;
  throw new RefusalError(type === CHANNEL.news ? 160007 : 160006);
}

/** A new thread. */
export function newThread(
  context: SimulatorContext,
  parent: Channel,
  type: number,
  {
    id,
    owner,
    name,
    autoArchive,
  }: { id: string; owner: string; name: string; autoArchive?: number | undefined },
): Channel {
  return {
    id,
    type,
    name,
    parent: parent.id,
    owner,
    active: context.now(),
    archived: false,
    locked: false,
    autoArchive: autoArchive ?? 1_440,
    ...(parent.guild === undefined ? {} : { guild: parent.guild }),
    ...(type === CHANNEL.privateThread ? { members: [owner] } : {}),
  };
}

/**
 * Opens a thread on a message: it has the message's id, and starts with a stub that refers to it. The gateway sends the stub as
 * MESSAGE_CREATE with type 21, as bots see it in production (typeclaw/typeclaw#516, NousResearch/hermes-agent#51129).
 */
export function hangThread(
  context: SimulatorContext,
  parent: Channel,
  message: Message,
  thread: Channel,
): void {
  record(context, { kind: 'channel', channel: thread });
  record(context, { kind: 'message', message: { ...message, flags: message.flags | FLAG.hasThread } });
  const { guild } = parent;
  const stub: Message = {
    id: thread.id,
    channel: thread.id,
    author: message.author,
    content: '',
    type: MESSAGE.threadStarter,
    flags: 0,
    embeds: [],
    components: [],
    files: [],
    reactions: [],
    mentions: [],
    reference: { message: message.id, channel: parent.id, ...(guild === undefined ? {} : { guild }) },
  };
  record(context, { kind: 'message', message: stub });
}

function threadFaults(json: Json, more: readonly string[]): Fault[] {
  const faults = [
    ...unknownFields([], json, [...NAMED, ...more]),
    ...lengthFaults(['name'], json['name'] ?? '', 1, 100),
  ];
  if (!ARCHIVE_AFTER.includes(json['auto_archive_duration']))
    faults.push(
      fault(['auto_archive_duration'], 'BASE_TYPE_CHOICES', 'Value must be one of (60, 1440, 4320, 10080).'),
    );
  return faults;
}

const durationIn = (json: Json): number | undefined => {
  const value = json['auto_archive_duration'];
  return typeof value === 'number' ? value : undefined;
};

function fromMessage(call: Call): Channel {
  const { context, at } = call;
  const { json } = call.body;
  const parent = here(call);
  refuseFaults(threadFaults(json, []), context);
  if (parent.type !== CHANNEL.text && parent.type !== CHANNEL.news) throw new RefusalError(50024);
  const message = messageOf(context, parent, at('message_id'));
  insist(context, parent, PERMISSION.createPublicThreads);
  if (!may(context, parent, PERMISSION.readHistory)) throw new RefusalError(50013);
  if (context.state.channels.has(message.id)) throw new RefusalError(160004);
  refuseMoreThreads(context, parent);
  const type = parent.type === CHANNEL.news ? CHANNEL.newsThread : CHANNEL.publicThread;
  const thread = newThread(context, parent, type, {
    id: message.id,
    owner: context.identity.applicationId,
    name: stringOf(json['name']),
    autoArchive: durationIn(json),
  });
  hangThread(context, parent, message, thread);
  return thread;
}

function alone(call: Call): Json {
  const { context, body } = call;
  const { json } = body;
  const parent = here(call);
  if (parent.type === CHANNEL.forum) return forumPost(call, parent);
  refuseFaults(threadFaults(json, ['type', 'invitable']), context);
  if (parent.type !== CHANNEL.text && parent.type !== CHANNEL.news) throw new RefusalError(50024);
  // Without a type the thread is private, for now: Discord says that this default will change.
  const type = json['type'] === CHANNEL.publicThread ? CHANNEL.publicThread : CHANNEL.privateThread;
  insist(
    context,
    parent,
    type === CHANNEL.publicThread ? PERMISSION.createPublicThreads : PERMISSION.createPrivateThreads,
  );
  refuseMoreThreads(context, parent);
  const thread = newThread(context, parent, type, {
    id: context.ids.next(),
    owner: context.identity.applicationId,
    name: stringOf(json['name']),
    autoArchive: durationIn(json),
  });
  record(context, { kind: 'channel', channel: thread });
  return presentChannel(context, thread);
}

function forumPost({ context, body }: Call, parent: Channel): Json {
  const { json } = body;
  refuseFaults(threadFaults(json, ['message', 'applied_tags']), context);
  insist(context, parent, PERMISSION.sendMessages);
  refuseMoreThreads(context, parent);
  const thread = newThread(context, parent, CHANNEL.publicThread, {
    id: context.ids.next(),
    owner: context.identity.applicationId,
    name: stringOf(json['name']),
    autoArchive: durationIn(json),
  });
  const message = isJson(json['message']) ? json['message'] : {};
  record(context, { kind: 'channel', channel: thread });
  const first = post(context, thread, body, message, {
    way: 'create',
    type: MESSAGE.plain,
    at: ['message'],
    id: thread.id,
  });
  return { ...presentChannel(context, thread), message: presentMessage(context, first) };
}

function change(call: Call): Json {
  const { context } = call;
  const { json } = call.body;
  const channel = here(call);
  if (!isThread(channel)) throw new RefusalError(50013);
  const mine = channel.owner === context.identity.applicationId;
  const manages = may(context, channel, PERMISSION.manageThreads);
  const { name, archived, locked } = json;
  const known = [...NAMED, 'archived', 'locked', 'invitable', 'flags', 'applied_tags'];
  refuseFaults([...unknownFields([], json, known), ...lengthFaults(['name'], name, 1, 100)], context);
  const wakes = archived === false && Object.keys(json).every((field) => field === 'archived');
  if (channel.locked === true && !manages) throw new RefusalError(mine ? 50083 : 50013);
  // Unarchiving a thread requires only the permission to write in it: docs:resources/channel#modify-channel.
  if (wakes) insist(context, channel, PERMISSION.sendInThreads);
  else if (!manages && (!mine || locked !== undefined)) throw new RefusalError(50013);
  if (isArchived(context, channel) && archived !== false) throw new RefusalError(50083);
  const changed: Channel = {
    ...channel,
    name: typeof name === 'string' ? name : channel.name,
    archived: typeof archived === 'boolean' ? archived : (channel.archived ?? false),
    locked: typeof locked === 'boolean' ? locked : (channel.locked ?? false),
    autoArchive: durationIn(json) ?? channel.autoArchive ?? 1_440,
    ...(archived === false ? { active: context.now() } : {}),
  };
  record(context, { kind: 'channel', channel: changed });
  return presentChannel(context, changed);
}

/** A Unicode emoji, or a custom one as `name:id`. */
const EMOJI = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}|\w{2,32}:\d+)$/v;

function react(call: Call) {
  const { context, at } = call;
  const channel = within(call);
  const message = messageOf(context, channel, at('message_id'));
  const emoji = at('emoji_name');
  if (!EMOJI.test(emoji)) throw new RefusalError(10014);
  insist(context, channel, PERMISSION.readHistory);
  if (!message.reactions.some((one) => one.emoji === emoji))
    insist(context, channel, PERMISSION.addReactions);
  if (isThread(channel) && isArchived(context, channel)) throw new RefusalError(50083);
  setReaction(context, message, emoji, context.identity.applicationId, true);
  return done;
}

function unreact(call: Call) {
  const message = messageOf(call.context, within(call), call.at('message_id'));
  setReaction(call.context, message, call.at('emoji_name'), call.context.identity.applicationId, false);
  return done;
}

/** Adds or removes a reaction. */
export function setReaction(
  context: SimulatorContext,
  message: Message,
  emoji: string,
  user: string,
  on: boolean,
): void {
  const reaction = message.reactions.find((one) => one.emoji === emoji);
  if ((reaction?.users.includes(user) ?? false) === on) return;
  const users = on ? [...(reaction?.users ?? []), user] : (reaction?.users ?? []).filter((id) => id !== user);
  const others = message.reactions.filter((one) => one.emoji !== emoji);
  const reactions = users.length === 0 ? others : [...others, { emoji, users }];
  record(context, { kind: 'message', message: { ...message, reactions } });
}
