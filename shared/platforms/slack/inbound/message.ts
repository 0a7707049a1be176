import * as v from 'valibot';
import { type IncomingMessage, messageId, userId, workspaceId } from '../../../domain/index.ts';
import { attachmentsOf } from './attachments.ts';
import { maybeId, maybeTs, type Recipient, threadAt } from '../oauth/installation.ts';
import { names, readText } from './plain-text.ts';

/** A message as events tell of it: in the event itself, or within one that tells of a change. */
export const messageSchema = v.object({
  type: v.nullish(v.string()),
  subtype: v.nullish(v.string()),
  user: maybeId,
  bot_id: maybeId,
  app_id: maybeId,
  bot_profile: v.nullish(v.object({ app_id: maybeId })),
  ts: maybeTs,
  thread_ts: maybeTs,
  text: v.nullish(v.string()),
  files: v.nullish(v.array(v.unknown())),
  edited: v.nullish(v.object({ ts: maybeTs })),
  user_team: maybeId,
  source_team: maybeId,
  team: maybeId,
});
export type RawMessage = v.InferOutput<typeof messageSchema>;

/** Where a message stands: in which channel, and by which moment it is named there. */
export type MessageLocation = { readonly channel: string; readonly direct: boolean; readonly ts: string };

/** A DM, told by the type of its channel; mentions do not say it, nor do they come from DMs. */
export const locationOf = (
  channel: string,
  type: string | null | undefined,
  ts: string,
): MessageLocation => ({
  channel,
  ts,
  direct: type === 'im' || channel.startsWith('D'),
});

/** Why a message is not for us. */
export type DropReason =
  | 'hidden'
  | 'subtype'
  | 'own'
  | 'bot'
  | 'no-author'
  | 'unaddressed'
  | 'empty'
  | 'unchanged'
  | 'not-ours';

/** What people write; all other subtypes tell of changes, arrivals and the like. */
const SUBTYPES = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

/**
 * The message, or why it is not for the bot. `before` is what it said before it was changed, null if that is not known. A
 * new message that names the bot and says nothing else is for it: people try a bot that way.
 */
export function readMessage(
  message: RawMessage,
  { channel, direct, ts }: MessageLocation,
  reader: Recipient,
  before?: RawMessage | null,
): IncomingMessage | DropReason {
  const noise = noiseOf(message, reader);
  if (noise) return noise;
  const author = message.user ?? message.bot_id;
  if (!author) return 'no-author';
  const text = readText(message.text ?? '', reader.bot);
  const attachments = attachmentsOf(message.files);
  const root = message.thread_ts ?? ts;
  const reply = root !== ts;
  const named = namesBot(message, reader.bot);
  // Two bots that answer each other would never end: a bot may begin a thread by naming ours, and no more.
  const bot = botIds(message);
  if (bot && (!named || reply || direct)) return 'bot';
  const bare = named && before === undefined && !bot;
  if (text === '' && attachments.length === 0 && !bare) return 'empty';
  const near = reply || namesBot(before, reader.bot);
  // What is for nobody in particular is for the bot where its channel says so.
  const addressed = byPerson(named, near, direct) ?? 'overheard';
  return {
    thread: threadAt(reader.workspace, channel, root),
    id: messageId(ts),
    author: userId(author),
    authorWorkspace: workspaceId(teamOf(message) ?? reader.sender ?? reader.workspace),
    bot,
    text,
    attachments,
    addressed,
  };
}

/** Why a message cannot be a question, whatever it says. */
export function noiseOf(message: RawMessage, { bot, app }: Recipient): 'subtype' | 'own' | undefined {
  if (message.subtype && !SUBTYPES.has(message.subtype)) return 'subtype';
  if (bot !== undefined && message.user === bot) return 'own';
  // The app that an event is sent to is us; a person's message names the app of no bot.
  return app !== undefined && message.bot_id && appsOf(message).includes(app) ? 'own' : undefined;
}

const teamOf = (message: RawMessage) => message.user_team ?? message.source_team ?? message.team;
const appsOf = (message: RawMessage) => [message.app_id, message.bot_profile?.app_id];

/** By any of these an admin may know a bot: its own id, that of its user, that of its app. None of a person. */
function botIds(message: RawMessage): string[] | undefined {
  if (!isBot(message)) return undefined;
  return [message.bot_id, message.user, ...appsOf(message)].flatMap((one) => one ?? []);
}

export function isBot(message: RawMessage): boolean {
  return (
    Boolean(message.bot_id ?? message.bot_profile) ||
    message.subtype === 'bot_message' ||
    message.user === 'USLACKBOT'
  );
}

type Addressed = IncomingMessage['addressed'] | undefined;

/** `near`: in a thread that the bot may be in, or naming the bot until it was changed. */
function byPerson(named: boolean, near: boolean, direct: boolean): Addressed {
  if (direct) return 'direct';
  if (named) return 'mention';
  return near ? 'if-member' : undefined;
}

function namesBot(message: RawMessage | null | undefined, bot: string | undefined): boolean {
  return message?.type === 'app_mention' || (bot !== undefined && names(message?.text ?? '', bot));
}
