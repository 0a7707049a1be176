import type { ChannelId, UserId, WorkspaceId } from '../ids.ts';
import { channelId, userId } from '../ids.ts';
import type { PlatformName } from '../thread.ts';

/** The owner of integrations: a Slack workspace or a Discord guild. */
export type IntegrationPlace = { readonly platform: PlatformName; readonly workspace: WorkspaceId };

/** A program that asks questions over the API, with a key of its own. */
export type Integration = {
  /** Sixteen hexadecimal digits. */
  readonly id: string;
  /** For people. Unique in its workspace. */
  readonly name: string;
  /** The channels in which it may ask, beside its own conversations. */
  readonly channels: readonly ChannelId[];
  /**
   * Those of them in which it may ask also while they are private: whoever allowed them was in them. Absent in integrations of earlier versions, which
   * may ask in all.
   */
  readonly privateChannels?: readonly ChannelId[] | undefined;
};

/** The maximum number of integrations of a workspace. */
export const MAX_INTEGRATIONS = 20;
/** The maximum number of channels in which an integration may ask. */
export const MAX_INTEGRATION_CHANNELS = 20;

/** After its key was rotated, the former one stays valid this long. */
export const FORMER_KEY_HOURS = 24;

/** What a webhook tells an integration: that its answer has ended, and how somebody rated it. */
export const WEBHOOK_EVENTS = ['answer', 'feedback'] as const;
export type WebhookEventKind = (typeof WEBHOOK_EVENTS)[number];

/** Ids of Slack begin with a capital letter, those of Discord are numbers: neither begins with this. */
const PREFIX = 'api_';

/** The asker of an integration's questions. Budgets, accounts, export and erasure treat it as a person. */
export const integrationUser = ({ id }: Pick<Integration, 'id'>): UserId => userId(PREFIX + id);

/** The channel of an integration's own conversations, which no platform shows. */
export const integrationChannel = ({ id }: Pick<Integration, 'id'>): ChannelId => channelId(PREFIX + id);

/** Whether an integration asked, or a conversation is one of an integration. */
export const isIntegration = (id: string): boolean => id.startsWith(PREFIX);

/** Returns the id of the integration that asked; undefined for people. */
export const getIntegrationId = (asker: UserId): string | undefined =>
  isIntegration(asker) ? asker.slice(PREFIX.length) : undefined;
