import type { RESTJSONErrorCodes } from 'discord-api-types/v10';

/** The number behind a member of an enum. */
type NumberOf<Member extends number> = `${Member}` extends `${infer N extends number}` ? N : never;
type Known = {
  readonly [Name in keyof typeof RESTJSONErrorCodes]?: NumberOf<(typeof RESTJSONErrorCodes)[Name]>;
};

/**
 * The error codes that are told apart, under the names of discord-api-types, which the compiler holds them against: the
 * package's own table would be loaded whole. See docs:topics/opcodes-and-status-codes#json.
 */
export const ERROR_CODES = {
  UnknownChannel: 10003,
  UnknownGuild: 10004,
  UnknownMember: 10007,
  UnknownMessage: 10008,
  UnknownUser: 10013,
  UnknownWebhook: 10015,
  UnknownInteraction: 10062,
  MaximumNumberOfEditsToMessagesOlderThanOneHourReached: 30046,
  RequestEntityTooLarge: 40005,
  MissingAccess: 50001,
  CannotEditMessageAuthoredByAnotherUser: 50005,
  CannotSendMessagesToThisUser: 50007,
  MissingPermissions: 50013,
  InvalidWebhookToken: 50027,
  InvalidFormBodyOrContentType: 50035,
  InvalidActionOnArchivedThread: 50083,
  CannotSendMessagesToThisUserDueToHavingNoMutualGuilds: 50278,
  CannotReplyWithoutPermissionToReadMessageHistory: 160002,
  ThreadAlreadyCreatedForMessage: 160004,
  ThreadLocked: 160005,
} as const satisfies Known;

/** What a refusal means, whichever call it answers. */
export type RefusalKind =
  /** The bot lacks a permission, or may not see the place. What was asked for may well be there. */
  | 'forbidden'
  /** The bot may write there, but not point at another message. */
  | 'reply-forbidden'
  /** There is no such message. */
  | 'message-not-found'
  /** There is no such channel, thread or guild. */
  | 'channel-not-found'
  /** The bot is not a member of the guild, or the person is not; or there is no such person. */
  | 'member-not-found'
  /** The thread is archived or locked. */
  | 'thread-closed'
  /** The person takes no direct messages of the bot. */
  | 'user-unreachable'
  /** The token of an interaction is worth nothing any more. */
  | 'token-expired'
  /** What was sent is not of the right form. */
  | 'invalid'
  | 'other';

const KINDS: ReadonlyMap<number, RefusalKind> = new Map([
  [ERROR_CODES.MissingAccess, 'forbidden'],
  [ERROR_CODES.MissingPermissions, 'forbidden'],
  [ERROR_CODES.CannotReplyWithoutPermissionToReadMessageHistory, 'reply-forbidden'],
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
  [ERROR_CODES.InvalidFormBodyOrContentType, 'invalid'],
  [ERROR_CODES.RequestEntityTooLarge, 'invalid'],
]);

/** What Discord means by one of its error codes. */
export const kindOfCode = (code: number): RefusalKind => KINDS.get(code) ?? 'other';
