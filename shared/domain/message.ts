import type { PlatformName, Thread } from './thread.ts';
import type { ChannelId, MessageId, UserId, WorkspaceId } from './ids.ts';

/** A file on a message. Its real type is detected from its content after the download. */
export type Attachment = {
  /** The id for downloading it. */
  readonly id: string;
  readonly name: string;
  /** As the platform reports it: only a hint, sometimes empty. */
  readonly mimetype: string;
  readonly bytes: number;
  /** Duration in ms, if the platform reports it. */
  readonly ms?: number | undefined;
  /** The question already contains its transcript; the file itself is for models that accept audio or video. */
  readonly isTranscribed?: boolean | undefined;
  /** In a stored turn: nobody has read the file, because the question was stopped, refused or given up first. Whoever answers it again does. */
  readonly isUnread?: boolean | undefined;
  /** The message of another person that has the file. Once they are erased, the file is not downloaded again. */
  readonly origin?: AttachmentOrigin | undefined;
};

export type AttachmentOrigin = { readonly author: UserId; readonly message: MessageId };

/**
 * Returns a picture as it is stored with a request of this person. A picture of somebody else keeps its origin, and loses its
 * name, which is theirs.
 */
export function toRequestedPicture(
  picture: Attachment,
  origin: AttachmentOrigin | undefined,
  requester: UserId,
): Attachment {
  if (origin === undefined || origin.author === requester) return { ...picture, origin: undefined };
  const [, extension] = /\.(png|jpe?g|gif|webp)$/iu.exec(picture.name) ?? [];
  return { ...picture, name: extension === undefined ? 'picture' : `picture.${extension}`, origin };
}

/** Whether a regenerated answer needs the file itself. The text of other files is part of the question. */
export const isMedia = (attachment: Attachment): boolean =>
  isPicture(attachment) || attachment.isTranscribed === true;

/** Whether a file is probably an image, by the metadata from the platform. The content is checked later. */
export const isPicture = ({ mimetype, name }: Pick<Attachment, 'mimetype' | 'name'>): boolean =>
  mimetype.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/iu.test(name);

/**
 * Whether the message says nothing about the file except its id. Slack does this for files from another
 * company.
 */
export const lacksMetadata = ({ mimetype, name }: Pick<Attachment, 'mimetype' | 'name'>): boolean =>
  mimetype === '' && name === '';

/** A message from a person, independent of the platform. */
export type IncomingMessage = {
  readonly thread: Thread;
  readonly id: MessageId;
  readonly author: UserId;
  /** The author's own workspace: differs from the thread's in channels shared between companies. */
  readonly authorWorkspace: WorkspaceId;
  /** Set if the author is a bot: the ids under which this bot may be listed as allowed to ask. */
  readonly bot?: readonly string[] | undefined;
  /** The text without the mention of the bot, entities decoded. May be empty. */
  readonly text: string;
  /** The platform does not show the bot what the person has written, and the text is empty. */
  readonly isHidden?: boolean | undefined;
  readonly attachments: readonly Attachment[];
  /** The event lists no files, but the message may have some: see `FileDownloader.listFiles`. */
  readonly mayHaveFiles?: boolean | undefined;
  /**
   * How the message relates to the bot. `mention`: it mentions the bot. `direct`: sent in a direct message.
   * `if-member`: a reply in a thread, relevant only if the bot takes part in that thread. `none`: any
   * other message; a channel may be set to have all messages answered, or all recordings transcribed.
   */
  readonly addressed: 'mention' | 'direct' | 'if-member' | 'none';
  /** Lets the bot search the messages of the workspace for the author, for some minutes. A secret. */
  readonly searchToken?: string | undefined;
};

/** The action of a button below an answer, or below one that is still being written. */
export type ButtonAction =
  | { readonly kind: 'stop' }
  | { readonly kind: 'feedback'; readonly good: boolean }
  /** Answer again, with another model if one is named. */
  | { readonly kind: 'regenerate'; readonly model?: string | undefined }
  /** Continue an answer that ended early. */
  | { readonly kind: 'continue' }
  /** Request several versions of the answer, or show stored version `choice` (counted from 1). */
  | { readonly kind: 'version'; readonly choice?: string | undefined };

/** The action name for rating an answer. Arguments: root message, question, `good` or `bad`. */
export const RATING_ACTION = 'feedback.rate';

/** An event of a chat platform that may concern the bot. */
export type ChatEvent =
  /** The app was uninstalled (`at`: ms since 1970). All data of the workspace is erased. */
  | {
      readonly kind: 'app-uninstalled';
      readonly platform: PlatformName;
      readonly workspace: WorkspaceId;
      readonly at: number;
    }
  /**
   * An app that is installed for an organization lost access to some of its workspaces. Their data is erased.
   */
  | {
      readonly kind: 'access-revoked';
      readonly platform: PlatformName;
      /** The organization, which is treated as one workspace. */
      readonly workspace: WorkspaceId;
      readonly teams: readonly WorkspaceId[];
      readonly at: number;
    }
  /** A channel was deleted; with `thread`, only that thread of it, with its messages. What was collected from there is erased. */
  | {
      readonly kind: 'channel-deleted';
      readonly platform: PlatformName;
      readonly workspace: WorkspaceId;
      readonly channel: ChannelId;
      readonly thread?: MessageId | undefined;
    }
  | { readonly kind: 'message'; readonly message: IncomingMessage }
  /** A person edited a message. `at`, a Slack timestamp or (Discord) milliseconds since 1970, distinguishes its edits, which sort by it. */
  | { readonly kind: 'message-edited'; readonly message: IncomingMessage; readonly at: string }
  | {
      readonly kind: 'message-deleted';
      readonly thread: Thread;
      readonly message: MessageId;
      /** Whether it had recordings, if the platform reports it. */
      readonly hasRecordings?: boolean | undefined;
    }
  /** The platform's own Stop button: ends every running answer in the thread. */
  | { readonly kind: 'thread-stop-clicked'; readonly thread: Thread; readonly by: UserId }
  | {
      readonly kind: 'button-clicked';
      readonly thread: Thread;
      /** The question whose answer has the button. */
      readonly message: MessageId;
      readonly by: UserId;
      /** A rating is an interaction instead: see `RATING_ACTION`. */
      readonly action: Exclude<ButtonAction, { readonly kind: 'feedback' }>;
      /** Distinguishes clicks; identical for repeated deliveries of one click. */
      readonly at: string;
    };

/**
 * Whether a file is a recording, by the metadata from the platform. That is enough to decide whether to
 * transcribe it.
 */
export function isRecording({
  mimetype,
  name,
}: {
  readonly mimetype: string;
  readonly name: string;
}): boolean {
  // Discord reports source files of TypeScript as MPEG transport streams (`video/MP2T`), by their extension. Nothing decodes real ones.
  if (/^(?:audio\/|video\/(?!mp2t\b))/iu.test(mimetype)) return true;
  // Slack leaves the type of some clips empty; of other recordings, such as the `.opus` files of WhatsApp, platforms do not know the type.
  return (
    !mimetype.startsWith('image/') &&
    /\.(?:og[ga]|opus|webm|m4[av]|mp[34]|mov|aac|amr|aiff?|avi|flac|mkv|wav)$/iu.test(name)
  );
}

/**
 * A stable key for a recording. Discord identifies files by URLs that expire; the number in the URL is stable.
 */
export const recordingKey = ({ id }: Pick<Attachment, 'id'>): string =>
  /attachments\/\d+\/(\d+)\//u.exec(id)?.[1] ?? id;

/** The address of a file may become part of a sort key, which has at most 1,024 bytes. Discord's have about 300. */
const MAX_ADDRESS_BYTES = 900;

/** Whether an address is too long for a key of the table. */
export const isAddressTooLong = (url: string): boolean => Buffer.byteLength(url) > MAX_ADDRESS_BYTES;

/** Splits the attachments of a message into recordings and other files. */
export function splitRecordings({ attachments }: Pick<IncomingMessage, 'attachments'>) {
  return {
    recordings: attachments.filter(isRecording),
    others: attachments.filter((one) => !isRecording(one)),
  };
}
