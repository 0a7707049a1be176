import type { RESTJSONErrorCodes } from 'discord-api-types/v10';

/** The number of an enum member. */
type NumberOf<Member extends number> = `${Member}` extends `${infer N extends number}` ? N : never;
type Known = {
  readonly [Name in keyof typeof RESTJSONErrorCodes]?: NumberOf<(typeof RESTJSONErrorCodes)[Name]>;
};

/**
 * The error codes that are distinguished, under the names of discord-api-types. The compiler compares the numbers. The package's own
 * table is not loaded, since it is large. See docs:topics/opcodes-and-status-codes#json.
 */
export const ERROR_CODES = {
  UnknownChannel: 10003,
  UnknownGuild: 10004,
  UnknownMember: 10007,
  UnknownMessage: 10008,
  UnknownUser: 10013,
  UnknownWebhook: 10015,
  UnknownInteraction: 10062,
  ActionCannotBePerformedDueToSlowmodeRateLimit: 20016,
  ChannelSendRateLimit: 20028,
  ServerSendRateLimit: 20029,
  MaximumNumberOfEditsToMessagesOlderThanOneHourReached: 30046,
  Unauthorized: 40001,
  OpeningDirectMessagesTooFast: 40003,
  SendMessagesHasBeenTemporarilyDisabled: 40004,
  RequestEntityTooLarge: 40005,
  FeatureTemporarilyDisabledServerSide: 40006,
  ServiceResourceIsBeingRateLimited: 40062,
  CloudflareIsBlockingYourRequest: 40333,
  MissingAccess: 50001,
  CannotEditMessageAuthoredByAnotherUser: 50005,
  CannotSendMessagesToThisUser: 50007,
  MissingPermissions: 50013,
  InvalidWebhookToken: 50027,
  InvalidFormBodyOrContentType: 50035,
  InvalidActionOnArchivedThread: 50083,
  CannotSendMessagesToThisUserDueToHavingNoMutualGuilds: 50278,
  APIResourceOverloaded: 130000,
  CannotReplyWithoutPermissionToReadMessageHistory: 160002,
  ThreadAlreadyCreatedForMessage: 160004,
  ThreadLocked: 160005,
  CannotReferenceAMessageWithoutPermissionToReadMessageHistory: 160009,
  MessageWasBlockedByAutomaticModeration: 200000,
  MessageBlockedByHarmfulLinksFilter: 240000,
  AccessToFileUploadsHasBeenLimitedForThisGuild: 400001,
} as const satisfies Known;

/** The meaning of a refusal, for all routes. */
export type RefusalKind =
  /** The bot lacks a permission or does not see the channel. The resource may exist. */
  | 'forbidden'
  /** The bot may post there, but not reply to a message. */
  | 'reply-forbidden'
  /** The message does not exist. */
  | 'message-not-found'
  /** The channel, thread or guild does not exist. */
  | 'channel-not-found'
  /** The bot or the person is not a member of the guild, or the person does not exist. */
  | 'member-not-found'
  /** The thread is archived or locked. */
  | 'thread-closed'
  /** The person accepts no direct messages of the bot. */
  | 'user-unreachable'
  /** The interaction token has expired. */
  | 'token-expired'
  /** A filter of Discord or of the guild finds something in the words. */
  | 'words-blocked'
  /** The request body is invalid. */
  | 'invalid'
  | 'other';

const KINDS: ReadonlyMap<number, RefusalKind> = new Map([
  [ERROR_CODES.MissingAccess, 'forbidden'],
  [ERROR_CODES.MissingPermissions, 'forbidden'],
  // The bot may post there, but nobody may attach files.
  [ERROR_CODES.AccessToFileUploadsHasBeenLimitedForThisGuild, 'forbidden'],
  [ERROR_CODES.CannotReplyWithoutPermissionToReadMessageHistory, 'reply-forbidden'],
  [ERROR_CODES.CannotReferenceAMessageWithoutPermissionToReadMessageHistory, 'reply-forbidden'],
  [ERROR_CODES.UnknownMessage, 'message-not-found'],
  [ERROR_CODES.UnknownChannel, 'channel-not-found'],
  [ERROR_CODES.UnknownGuild, 'channel-not-found'],
  [ERROR_CODES.UnknownMember, 'member-not-found'],
  [ERROR_CODES.UnknownUser, 'member-not-found'],
  [ERROR_CODES.InvalidActionOnArchivedThread, 'thread-closed'],
  [ERROR_CODES.ThreadLocked, 'thread-closed'],
  [ERROR_CODES.CannotSendMessagesToThisUser, 'user-unreachable'],
  [ERROR_CODES.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds, 'user-unreachable'],
  [ERROR_CODES.UnknownWebhook, 'token-expired'],
  [ERROR_CODES.UnknownInteraction, 'token-expired'],
  [ERROR_CODES.InvalidWebhookToken, 'token-expired'],
  [ERROR_CODES.MessageWasBlockedByAutomaticModeration, 'words-blocked'],
  [ERROR_CODES.MessageBlockedByHarmfulLinksFilter, 'words-blocked'],
  [ERROR_CODES.InvalidFormBodyOrContentType, 'invalid'],
  [ERROR_CODES.RequestEntityTooLarge, 'invalid'],
]);

/** The meaning of an error code of Discord. */
export const getKindOfCode = (code: number): RefusalKind => KINDS.get(code) ?? 'other';
