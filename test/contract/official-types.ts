import type {
  BlockAction,
  EnvelopedEvent,
  MessageShortcut,
  RespondArguments,
  SlashCommand,
  ViewClosedAction,
  ViewSubmitAction,
} from '@slack/bolt';
import type {
  AnyChunk,
  AppUninstalledEvent,
  KnownBlock,
  SlackEvent,
  TeamAccessRevokedEvent,
  TokensRevokedEvent,
} from '@slack/types';
import type { ConversationsRepliesResponse, FilesInfoResponse, WebClient } from '@slack/web-api';

/**
 * Slack's official types, and what Slack sends beyond them. Requests of Parley are held against the types as they are. What stands here for the other direction is in bodies that Slack's own test suites recorded
 * (slackapi/bolt-python tests/scenario_tests, slackapi/java-slack-sdk json-logs) or in the reference (docs.slack.dev).
 */
export type { AnyChunk, KnownBlock, MessageShortcut, RespondArguments, SlashCommand, WebClient };

type Method = (options: never) => unknown;

/** What a method of the official client takes. */
export type Arguments<Called extends Method> = NonNullable<Parameters<Called>[0]>;

/** What Slack answers to a method. */
export type Response<Called extends Method> = Answered<Awaited<ReturnType<Called>>>;

/** The types of answers are generated from logs: their enumerations hold the words that were in these. */
type Answered<T> = T extends string
  ? string
  : T extends readonly (infer Each)[]
    ? Answered<Each>[]
    : T extends object
      ? { [Key in keyof T]: AnsweredField<Key, T[Key]> }
      : T;

type AnsweredField<Key, Value> = Key extends 'blocks'
  ? unknown // Held against KnownBlock by themselves.
  : Key extends 'message'
    ? Answered<Value> & MessageFields
    : Key extends 'messages'
      ? readonly (Answered<ElementOf<Value>> & MessageFields)[]
      : Key extends 'close' | 'submit' | 'previous_view_id' | 'enterprise' | 'team'
        ? Answered<Value> | null
        : Answered<Value>;

type ElementOf<List> = NonNullable<List> extends readonly (infer One)[] ? One : never;

/** What messages have beyond their types. */
type MessageFields = {
  readonly app_id?: string;
  readonly bot_id?: string;
  readonly bot_profile?: object;
  readonly client_msg_id?: string;
  readonly display_as_bot?: boolean;
  readonly hidden?: boolean;
  readonly is_locked?: boolean;
  readonly latest_reply?: string;
  readonly metadata?: object;
  readonly parent_user_id?: string;
  readonly reply_count?: number;
  readonly reply_users?: readonly string[];
  readonly reply_users_count?: number;
  readonly source_team?: string;
  readonly streaming_state?: 'in_progress' | 'completed' | 'errored';
  readonly subscribed?: boolean;
  readonly subtype?: string;
  readonly thread_ts?: string;
  readonly upload?: boolean;
  readonly user_team?: string;
};

/** What messages to an app have with which it may search for their author (bolt-python, test_events_assistant; docs.slack.dev/apis/web-api/real-time-search-api). */
type SearchFields = { readonly assistant_thread?: { readonly action_token?: string } };

/** An event in its envelope. */
export type Envelope = (Delivered<EnvelopedEvent<SlackEvent>> | Removal) & {
  readonly event_context?: string;
};

/** The app is removed from a whole organization, or from workspaces of it: the envelope names none (bolt-python, test_events_org_apps). */
type Removal = Omit<
  Delivered<EnvelopedEvent<AppUninstalledEvent | TeamAccessRevokedEvent | TokensRevokedEvent>>,
  'team_id'
>;

export type Press = Delivered<BlockAction> | PressInView;
/** What is pressed in a view is answered by its trigger: docs.slack.dev/reference/interaction-payloads/block_actions-payload. */
type PressInView = Omit<Delivered<BlockAction>, 'response_url'> & {
  readonly container: { readonly type: 'view'; readonly view_id: string };
};
export type Shortcut = Delivered<MessageShortcut>;
export type Submission = Delivered<ViewSubmitAction>;
export type Closing = Delivered<ViewClosedAction>;

type Delivered<T> = T extends readonly (infer One)[]
  ? Delivered<One>[]
  : T extends object
    ? {
        [Key in KeyOf<T> as undefined extends T[Key] ? never : Key]: DeliveredField<Key, T[Key]>;
      } & { [Key in KeyOf<T> as undefined extends T[Key] ? Key : never]?: DeliveredField<Key, T[Key]> }
    : T;

/** Without the index signature by which some types take any field. */
type KeyOf<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: never } & keyof T;

type DeliveredField<Key, Value> = Key extends 'blocks'
  ? unknown // Held against KnownBlock by themselves.
  : Key extends 'files'
    ? readonly FileFields[]
    : Key extends 'message' | 'previous_message'
      ? OpenMessage<Value> | (Partial<Delivered<Value>> & MessageFields) | Tombstone
      : Key extends 'event'
        ? Delivered<Value> & MessageFields & SearchFields
        : Key extends 'actions'
          ? readonly (Delivered<ElementOf<Value>> & { readonly style?: string })[]
          : Key extends 'user'
            ? Delivered<Value> & { readonly username?: string }
            : Key extends 'enterprise' | 'context_enterprise_id' | 'enterprise_id' | 'team_id'
              ? Delivered<Value> | null
              : Delivered<Value>;

/** Interactions say of their message no more than that it is one: it is like those of conversations.replies. */
type OpenMessage<Value> = Value extends object
  ? string extends keyof Value
    ? Answered<ElementOf<ConversationsRepliesResponse['messages']>> & MessageFields
    : never
  : never;

/** The types of files in events differ from each other; files.info has all fields. */
type FileFields = Answered<NonNullable<FilesInfoResponse['file']>>;

/** What is left of a deleted message that has replies. */
type Tombstone = MessageFields & {
  readonly type: 'message';
  readonly subtype: 'tombstone';
  readonly user: string;
  readonly ts: string;
  readonly text: string;
  readonly team?: string;
  readonly thread_ts?: string;
};
