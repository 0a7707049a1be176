import { ENV, PERSON_INDEX } from '../../shared/runtime/index.ts';
import type { Use } from './lambda-function.ts';
import type { Media } from './media.ts';
import type { Messaging } from './messaging.ts';
import type { Parameters } from './parameters/parameters.ts';
import type { EncryptionKey } from './kms-key.ts';
import type { Secrets } from './secrets.ts';
import type { ToolClient } from './tools/tool-client.ts';
import type { Storage } from './storage.ts';
import { X_RAY_ACKNOWLEDGEMENTS } from './monitoring/tracing.ts';

type StackResources = {
  readonly parameters: Parameters;
  readonly secrets: Secrets;
  readonly encryptionKey: EncryptionKey;
  readonly storage: Storage;
  /** The permission to write to X-Ray; empty without tracing. */
  readonly segments: readonly Use[];
};

/** Permissions to post on both platforms, in every workspace. */
export const getPlatformUses = ({ parameters, secrets, encryptionKey }: StackResources): Use[] => [
  parameters.use('HistoryDays', 'SlackApiUrl', 'DiscordApiUrl', 'DiscordApplicationId'),
  parameters.use('DiscordCdnHosts', 'DiscordMostMessages'),
  secrets.useSlackBot(),
  secrets.useSlackOAuth(),
  secrets.useDiscordBot(),
  encryptionKey.use('Encrypt', 'Decrypt'),
];

/** Permissions to send requests to the models, within rate limits and budgets. */
export const getModelUses = ({ parameters, secrets, storage, segments }: StackResources): Use[] => [
  parameters.use('UpstreamBaseUrl', 'UpstreamShape', 'UpstreamModel', 'StandInModels', 'SystemPrompt'),
  parameters.use('FirstTokenSeconds', 'SlackFilesHosts', 'SlackCommand'),
  parameters.use('SpeechLimit', 'VideoLimit', 'TimeZone', 'Accounts', 'DeploymentBudget'),
  secrets.useUpstream(),
  storage.useTokens('GetItem', 'UpdateItem'),
  ...segments,
];

/** The permission to write trace segments to X-Ray, when tracing is on. */
export const getTracingUses = (isTracingOn: boolean): Use[] =>
  isTracingOn
    ? [
        {
          env: { [ENV.tracing]: 'on' },
          allow: { actions: ['xray:PutTraceSegments'], resources: ['*'] },
          acknowledgements: X_RAY_ACKNOWLEDGEMENTS,
        },
      ]
    : [];

/** Permissions of every worker that processes tasks. */
export const getTaskUses = (
  on: StackResources & {
    readonly common: readonly Use[];
    readonly media: Media;
    readonly messaging: Messaging;
    readonly publicUrl: string;
    readonly toolClient: ToolClient;
    readonly integrationApi: { readonly use: Use } | undefined;
  },
): Use[] => [
  ...on.common,
  ...getPlatformUses(on),
  ...getModelUses(on),
  on.parameters.use('OtherModels', 'FollowUpModel', 'Reasoning', 'Search'),
  on.parameters.use('UpstreamVisionUrl', 'VideoModels', 'VideoPicture', 'MediaDays'),
  { env: { [ENV.publicUrl]: on.publicUrl } },
  ...on.media.use('GetObject', 'PutObject', 'DeleteObject'),
  on.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan'),
  on.storage.useIndexes(PERSON_INDEX),
  // Commands enqueue questions in their thread's order.
  on.messaging.useSend(),
  on.toolClient.use(),
  ...(on.integrationApi ? [on.integrationApi.use] : []),
  // Commands enqueue recordings for transcription.
  on.messaging.useSendVoice(),
];
