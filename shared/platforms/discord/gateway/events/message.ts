import {
  type Attachment,
  isAddressTooLong,
  isPicture,
  isRecording,
  removeRejectedCharacters,
} from '../../../../domain/index.ts';
import { getEmbedWords, readFileName } from '../../index.ts';
import type { RawFile, RawMessage } from './payload-schemas.ts';

/** Why an event is dropped. */
export type DropReason =
  | 'kind'
  | 'own'
  | 'bot'
  | 'no-author'
  | 'empty'
  | 'unaddressed'
  | 'unchanged'
  | 'out-of-sight';

/** Message types that people write: a message and a reply. Others are system messages, such as pins and joins. */
const USER_MESSAGE_TYPES = new Set([0, 19]);

/** The bot: its user id, its role in a guild, whether unaddressed messages of a channel may concern it, and whether an edit is new. */
export type BotIdentity = {
  readonly id: string;
  readonly role: (guild: string) => string | undefined;
  readonly mayConcern: (guild: string, channel: string) => boolean;
  readonly acceptEdit: (message: string, editedAtMs: number) => boolean;
};

/** Why a message cannot be a question, regardless of its text. */
export function findDropReason({ type, author }: RawMessage, me: BotIdentity): DropReason | undefined {
  if (!USER_MESSAGE_TYPES.has(type ?? 0)) return 'kind';
  if (!author) return 'no-author';
  if (author.id === me.id) return 'own';
  return author.system ? 'kind' : undefined;
}

/** The ids by which settings can allow a bot or webhook to ask; undefined for a person. */
export function botIds({
  author,
  webhook_id: webhook,
  application_id: app,
}: RawMessage): string[] | undefined {
  if (!author?.bot && !webhook) return undefined;
  return [author?.id, webhook, app].flatMap((one) => one ?? []);
}

/** Whether the message mentions the bot or, by mistake, its role. */
export function mentionsBot(
  { mentions, mention_roles: roles, guild_id: guild }: RawMessage,
  me: BotIdentity,
): boolean {
  const role = me.role(guild ?? '');
  return Boolean(mentions?.some(({ id }) => id === me.id) || (role !== undefined && roles?.includes(role)));
}

/** Whether it is a reply to a message of the bot. */
export const isReplyToBot = (message: RawMessage, me: BotIdentity): boolean =>
  message.referenced_message?.author?.id === me.id;

/**
 * Whether Discord hides from the bot what a person has written to it. Without the intent Message Content, a mention of the bot's role and a reply
 * to the response to a command have no content. See docs:gateway/you-might-not-need-a-privileged-intent.
 */
export const isHiddenMention = (
  message: RawMessage,
  { isMentioned, isEdit }: { readonly isMentioned: boolean; readonly isEdit: boolean },
): boolean =>
  isMentioned &&
  !isEdit &&
  !message.content &&
  ![ownFiles(message), message.message_snapshots, message.sticker_items].some((parts) => parts?.length) &&
  !message.poll &&
  Boolean(message.guild_id) &&
  botIds(message) === undefined;

/**
 * Whether a message is empty: without the intent Message Content, Discord omits the text of messages between others. A mention without
 * further text is not empty.
 */
export const isEmptyMessage = (message: RawMessage, text: string, isMentioned: boolean): boolean =>
  text === '' && !(isMentioned && message.content) && ownFiles(message).length === 0;

const ENTITY = /<(?:@[!&]?(\d{1,20})|(a?):(\w{1,32}):\d{1,20})>/gu;
/** Replaces the mention until the spaces around it are removed. */
const GAP = '\uE000';
const FIRST_GAP = new RegExp(`^\\s*${GAP}[,:]?(?=\\s|$)`, 'u');
const LINE = /^.*$/gmu;
const GAPS = new RegExp(`(?<![ \\t])[ \\t]*${GAP}`, 'gu');

/**
 * The text as people see it: without the mention of the bot, with names for people and emojis. A forwarded message is quoted, so that
 * it is known as the words of others.
 */
export function messageText(message: RawMessage, me: BotIdentity): string {
  const names = new Map(
    (message.mentions ?? []).map(({ id, global_name: displayName, username }) => [
      id,
      displayName ?? username ?? id,
    ]),
  );
  const role = me.role(message.guild_id ?? '');
  const texts = [message.content, ...snapshots(message).map(quoteForwarded)];
  return texts
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

/** The text of a forwarded message as a quotation, or that of its embeds, with the names of its recordings, which are left out. */
function quoteForwarded(forwarded: Snapshot): string {
  const { content, attachments } = forwarded;
  const recordings = (attachments ?? []).filter(isRecordingFile).map(readFileName);
  const words = content || removeRejectedCharacters(getEmbedWords(forwarded));
  const lines = [words, ...recordings].filter(Boolean).join('\n');
  return lines && lines.replace(LINE, '> $&');
}

/**
 * The files of a message and of a forwarded message, and the images of the message that it replies to, also if that is a forwarded one. Recordings of a forwarded message are left out:
 * Discord does not tell who speaks there, and they may have opted out of transcription.
 */
export function messageFiles(message: RawMessage): Attachment[] {
  const { referenced_message: replied } = message;
  const repliedFiles = (replied ? ownFiles(replied) : []).map(toAttachment).filter(isPicture);
  return [...ownFiles(message).map(toAttachment), ...repliedFiles].filter(({ id }) => !isAddressTooLong(id));
}

type WithFiles = Pick<RawMessage, 'attachments' | 'message_snapshots'>;

const ownFiles = (message: WithFiles): RawFile[] => [
  ...(message.attachments ?? []),
  ...snapshots(message).flatMap(({ attachments }) =>
    (attachments ?? []).filter((one) => !isRecordingFile(one)),
  ),
];

type Snapshot = NonNullable<RawMessage['message_snapshots']>[number]['message'];

const snapshots = (message: Pick<RawMessage, 'message_snapshots'>): Snapshot[] =>
  (message.message_snapshots ?? []).map(({ message: forwarded }) => forwarded);

const isRecordingFile = (one: RawFile): boolean => isRecording(toAttachment(one));

/** The id is the URL for the download. It expires after a day, but still identifies the file. */
function toAttachment(file: RawFile): Attachment {
  const { url, content_type: type, size } = file;
  return { id: url, name: readFileName(file), mimetype: type ?? '', bytes: size };
}
