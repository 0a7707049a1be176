import type { ChannelId, MessageId, PlatformName, WorkspaceId } from '../../domain/index.ts';

/** The owner of a collection. */
export type CollectionPlace = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly channel: ChannelId;
};

export const collectionPartition = ({ platform, workspace, channel }: CollectionPlace): string =>
  `KNOWLEDGE#${platform}#${workspace}#${channel}`;

export const DOCUMENT_PREFIX = 'DOC#';

/** Returns the first part of the ids of documents from a message. */
export const messageDocumentPrefix = (message: MessageId): string => `M${message}.`;
