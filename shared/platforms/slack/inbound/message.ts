import * as v from 'valibot';
import { type IncomingMessage, messageId, userId, workspaceId } from '../../../domain/index.ts';
import { isBot, optionalId, optionalTs, type EventInstallation, toThread } from '../api/payload-fields.ts';
import { listMessageFiles, contentFields, getDisplayedText } from './message-content.ts';
import { mentionsUser, readText } from './plain-text.ts';

/** A message as it is in an event: the event itself, or a field of an event about a change. */
export const messageSchema = v.object({
  type: v.nullish(v.string()),
  subtype: v.nullish(v.string()),
  user: optionalId,
  app_id: optionalId,
  bot_profile: v.nullish(v.object({ app_id: optionalId })),
  ts: optionalTs,
  thread_ts: optionalTs,
  files: v.nullish(v.array(v.unknown())),
  ...contentFields,
  edited: v.nullish(v.object({ ts: optionalTs })),
  user_team: optionalId,
  source_team: optionalId,
  team: optionalId,
});
export type RawMessage = v.InferOutput<typeof messageSchema>;

/** The channel of a message and its timestamp, which is its id there. */
export type MessageLocation = { readonly channel: string; readonly isDirect: boolean; readonly ts: string };

/** `direct`: by the channel type. An `app_mention` has none, but is never sent for a direct message. */
export const getLocation = (
  channel: string,
  type: string | null | undefined,
  ts: string,
): MessageLocation => ({
  channel,
  ts,
  isDirect: type === 'im' || channel.startsWith('D'),
});

/** Why an event or interaction is dropped. */
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

/** Subtypes of messages that people or bots write. All others are about changes, joins and so on. */
const SUBTYPES = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

/**
 * Parses a message, or returns the reason for which it is dropped. `before` is the message before an edit; null if it was
 * edited and that is not known. A new message that only mentions the bot is accepted: people try a bot that way.
 */
export function readMessage(
  message: RawMessage,
  { channel, isDirect, ts }: MessageLocation,
  reader: EventInstallation,
  before?: RawMessage | null,
): IncomingMessage | DropReason {
  const noise = findNoise(message, reader);
  if (noise) return noise;
  const author = message.user ?? message.bot_id;
  if (!author) return 'no-author';
  const text = readText(getDisplayedText(message), reader.bot);
  const root = message.thread_ts ?? ts;
  const isReply = root !== ts;
  const isMention = namesBot(message, reader.bot);
  const isRelated = isReply || namesBot(before, reader.bot);
  // The channel may be set so that the bot answers messages without a mention.
  const addressed = getAddressing(isMention, isRelated, isDirect) ?? 'none';
  const attachments = listMessageFiles(message);
  // Two bots could answer each other without end, so another bot may only start a thread with a mention.
  const bot = botIds(message);
  if (bot && (!isMention || isReply || isDirect)) return 'bot';
  const isBareMention = isMention && before === undefined && !bot;
  if (text === '' && attachments.length === 0 && !isBareMention) return 'empty';
  return {
    thread: toThread(reader.workspace, channel, root),
    id: messageId(ts),
    author: userId(author),
    authorWorkspace: workspaceId(getTeam(message, reader)),
    bot,
    text,
    attachments,
    // Slack may leave the files out of a mention, and send it before the `message` that has them (PrefectHQ/marvin#1368, openclaw/openclaw#115157).
    mayHaveFiles: (message.type === 'app_mention' && !message.files) || undefined,
    addressed,
  };
}

/** Why a message cannot be a question, whatever its text. */
export function findNoise(
  message: RawMessage,
  { bot, app }: EventInstallation,
): 'subtype' | 'own' | undefined {
  if (message.subtype && !SUBTYPES.has(message.subtype)) return 'subtype';
  if (bot !== undefined && message.user === bot) return 'own';
  // `app` is our app, as the event was sent to it. A message of a person has no bot and no app.
  return app !== undefined && message.bot_id && listAppIds(message).includes(app) ? 'own' : undefined;
}

/**
 * The workspace of the author. For people of an organization in a shared channel, Slack may name the organization: it stays unless the event
 * says which workspace it is, as `team` of a mention is that of the bot. Source: `extract_actor_team_id` of slackapi/bolt-python.
 */
function getTeam(message: RawMessage, { teams, sender, workspace }: EventInstallation): string {
  const team = message.user_team ?? message.source_team ?? message.team ?? sender ?? workspace;
  return teams.get(team) ?? team;
}

const listAppIds = (message: RawMessage) => [message.app_id, message.bot_profile?.app_id];

/** The ids by which an admin may allow a bot: of the bot, its user and its app. Undefined for a person. */
function botIds(message: RawMessage): string[] | undefined {
  if (!isBot(message)) return undefined;
  return [message.bot_id, message.user, ...listAppIds(message)].flatMap((one) => one ?? []);
}

type Addressed = IncomingMessage['addressed'] | undefined;

/** `isRelated`: a reply in a thread that the bot may be in, or a message that mentioned the bot before its edit. */
function getAddressing(isMention: boolean, isRelated: boolean, isDirect: boolean): Addressed {
  if (isDirect) return 'direct';
  if (isMention) return 'mention';
  return isRelated ? 'if-member' : undefined;
}

function namesBot(message: RawMessage | null | undefined, bot: string | undefined): boolean {
  return message?.type === 'app_mention' || (bot !== undefined && mentionsUser(message?.text ?? '', bot));
}
