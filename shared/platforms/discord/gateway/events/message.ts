import { type Attachment, isPicture } from '../../../../domain/index.ts';
import type { RawFile, RawMessage } from './payload-schemas.ts';

/** Why an event is not for us. */
export type DropReason =
  | 'kind'
  | 'own'
  | 'bot'
  | 'no-author'
  | 'empty'
  | 'unaddressed'
  | 'unchanged'
  | 'out-of-sight';

/** Message types that people write: a message and a reply. All others tell of pins, joins, new threads and the like. */
const WRITTEN = new Set([0, 19]);

/** Who the bot is: its user, the role that Discord made for it in a guild, and whether what is said to nobody may concern it. */
export type BotIdentity = {
  readonly id: string;
  readonly role: (guild: string) => string | undefined;
  readonly mayConcern: (guild: string, channel: string) => boolean;
};

/** Why a message cannot be a question, whatever it says. */
export function noiseOf({ type, author }: RawMessage, me: BotIdentity): DropReason | undefined {
  if (!WRITTEN.has(type ?? 0)) return 'kind';
  if (!author) return 'no-author';
  if (author.id === me.id) return 'own';
  return author.system ? 'kind' : undefined;
}

/** The ids by which a bot, or what posts by a webhook, may be named among those that may ask; none of a person. */
export function botIds({
  author,
  webhook_id: webhook,
  application_id: app,
}: RawMessage): string[] | undefined {
  if (!author?.bot && !webhook) return undefined;
  return [author?.id, webhook, app].flatMap((one) => one ?? []);
}

/** Whether the message names the bot: itself, or by mistake the role that Discord made for it. */
export function namesBot(
  { mentions, mention_roles: roles, guild_id: guild }: RawMessage,
  me: BotIdentity,
): boolean {
  const role = me.role(guild ?? '');
  return Boolean(mentions?.some(({ id }) => id === me.id) || (role !== undefined && roles?.includes(role)));
}

/** Whether it is a reply to something that the bot said. */
export const answersBot = (message: RawMessage, me: BotIdentity): boolean =>
  message.referenced_message?.author?.id === me.id;

/**
 * Whether a message says nothing to the bot, whatever it replies to: without the intent Message Content that is what others say
 * among themselves. Who writes its name, and nothing else, means something.
 */
export const saysNothing = (message: RawMessage, text: string, named: boolean): boolean =>
  text === '' && !(named && message.content) && ownFiles(message).length === 0;

const ENTITY = /<(?:@[!&]?(\d{1,20})|(a?):(\w{1,32}):\d{1,20})>/gu;
/** Stands for the mention until the blanks around it are mended. */
const GAP = '\uE000';
const FIRST_GAP = new RegExp(`^\\s*${GAP}[,:]?(?=\\s|$)`, 'u');
const GAPS = new RegExp(`(?<![ \\t])[ \\t]*${GAP}`, 'gu');

/** The words as a reader would take them: without the mention of the bot, people and emojis by their names. */
export function wordsOf(message: RawMessage, me: BotIdentity): string {
  const names = new Map(
    (message.mentions ?? []).map(({ id, global_name: shown, username }) => [id, shown ?? username ?? id]),
  );
  const role = me.role(message.guild_id ?? '');
  const written = [message.content, ...snapshots(message).map(({ content }) => content)];
  return written
    .filter(Boolean)
    .join('\n\n')
    .replace(ENTITY, (whole, who: string | undefined, _: string, emoji: string | undefined) => {
      if (emoji !== undefined) return `:${emoji}:`;
      if (who === me.id || (role !== undefined && who === role)) return GAP;
      const name = names.get(who ?? '');
      return name === undefined ? whole : `@${name}`;
    })
    .replace(FIRST_GAP, '')
    .replace(GAPS, '')
    .trim();
}

/** The files of a message, and of the message that it forwards; of the one that it replies to the pictures, which words cannot stand for. */
export function filesOf(message: RawMessage): Attachment[] {
  const replied = (message.referenced_message?.attachments ?? []).map(attachmentOf);
  return [...ownFiles(message).map(attachmentOf), ...replied.filter(isPicture)];
}

const ownFiles = (message: RawMessage): RawFile[] => [
  ...(message.attachments ?? []),
  ...snapshots(message).flatMap(({ attachments }) => attachments ?? []),
];

const snapshots = (message: RawMessage) =>
  (message.message_snapshots ?? []).map(({ message: forwarded }) => forwarded);

/** The address is how the file is had; it is worth nothing after a day, but still names the file. */
function attachmentOf({ url, filename, content_type: type, size }: RawFile): Attachment {
  return { id: url, name: filename, mimetype: type ?? '', bytes: size };
}
