import type { MessageId, UserId, WorkspaceId } from './ids.ts';
import type { PlatformName, Thread } from './thread.ts';

/** A file that came with a message. What it holds is found out from its content, when it is fetched. */
export type Attachment = {
  /** By which the platform hands the file out. */
  readonly id: string;
  readonly name: string;
  /** As the platform says: a hint, and sometimes empty. */
  readonly mimetype: string;
  readonly bytes: number;
  /** How long it takes to hear it, in ms, where the platform says. */
  readonly ms?: number | undefined;
};

/** Whether a file seems to be a picture, by what the platform says of it; its content is looked at later. */
export const isPicture = ({ mimetype, name }: Pick<Attachment, 'mimetype' | 'name'>): boolean =>
  mimetype.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/iu.test(name);

/** A file of which its message tells no more than that there is one: in Slack one of another company. */
export const lacksMetadata = ({ mimetype, name }: Pick<Attachment, 'mimetype' | 'name'>): boolean =>
  mimetype === '' && name === '';

/** What a person sent, stripped of its platform. */
export type IncomingMessage = {
  readonly thread: Thread;
  readonly id: MessageId;
  readonly author: UserId;
  /** The author's own workspace: differs from the thread's in channels shared between companies. */
  readonly authorWorkspace: WorkspaceId;
  /** Set if another bot said it: the ids by which that bot may be named among those that may ask. */
  readonly bot?: readonly string[] | undefined;
  /** The words without the mention of the bot, entities decoded. May be empty. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /**
   * Why this concerns the bot: named in it, sent to it alone, or a reply in a thread,
   * which concerns the bot only if the bot already takes part there. Overheard is what is none of these: a
   * channel may have all of it answered, or recordings written out as they come.
   */
  readonly addressed: 'mention' | 'direct' | 'if-member' | 'overheard';
};

/** What a button under an answer, or while it is being written, asks for. */
export type ButtonAction =
  | { readonly kind: 'stop' }
  | { readonly kind: 'feedback'; readonly good: boolean }
  /** Answer again, by another model if one is named. */
  | { readonly kind: 'regenerate'; readonly model?: string | undefined }
  /** Go on where the longest length allowed cut the answer off. */
  | { readonly kind: 'continue' };

/** The name of the call that a press of good or bad becomes; its args: root, question, `good` or `bad`. */
export const RATINGS = 'feedback.rate';

/** What happens on a platform and may concern the bot. */
export type ChatEvent =
  /** The app was removed from a workspace (`at`: ms since 1970): all that is kept of it is to go. */
  | {
      readonly kind: 'removed';
      readonly platform: PlatformName;
      readonly workspace: WorkspaceId;
      readonly at: number;
    }
  /** An app of a whole organisation was removed from some of its workspaces: what was asked from these is to go. */
  | {
      readonly kind: 'access-revoked';
      readonly platform: PlatformName;
      /** The organisation, which counts as one workspace. */
      readonly workspace: WorkspaceId;
      readonly teams: readonly WorkspaceId[];
      readonly at: number;
    }
  | { readonly kind: 'message'; readonly message: IncomingMessage }
  /** A person changed the words of a message; `at` tells one change of it from the next. */
  | { readonly kind: 'edited'; readonly message: IncomingMessage; readonly at: string }
  | {
      readonly kind: 'deleted';
      readonly thread: Thread;
      readonly message: MessageId;
      /** Whether recordings were in it, where the platform tells. */
      readonly spoken?: boolean | undefined;
    }
  /** The platform's own Stop: whatever is being answered in the thread is to end. */
  | { readonly kind: 'stopped'; readonly thread: Thread; readonly by: UserId }
  | {
      readonly kind: 'pressed';
      readonly thread: Thread;
      /** The question under whose answer the button is. */
      readonly message: MessageId;
      readonly by: UserId;
      /** What one thinks of an answer is a call: see `RATINGS`. */
      readonly press: Exclude<ButtonAction, { readonly kind: 'feedback' }>;
      /** Tells one press from the next; the same for a repeated delivery of one press. */
      readonly at: string;
    };
