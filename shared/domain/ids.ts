/** A string type that cannot be confused with another string type. */
type Branded<Name extends string> = string & { readonly __brand: Name };

/** A Slack team (`T…`, or the enterprise id of an org-wide install) or a Discord guild. */
export type WorkspaceId = Branded<'WorkspaceId'>;
/** A channel, private channel, group DM or DM. */
export type ChannelId = Branded<'ChannelId'>;
/**
 * Identifies a message within its channel: a Slack `ts` or a Discord snowflake. Sorts by time when compared as text. Retention and
 * erasure read the time in it (`getMessageTimeMs`), so the adapter of a platform with other ids converts them to one of these forms.
 */
export type MessageId = Branded<'MessageId'>;
/** A person or another bot. */
export type UserId = Branded<'UserId'>;

export const workspaceId = (id: string): WorkspaceId => id as WorkspaceId;
export const channelId = (id: string): ChannelId => id as ChannelId;
export const messageId = (id: string): MessageId => id as MessageId;
export const userId = (id: string): UserId => id as UserId;
