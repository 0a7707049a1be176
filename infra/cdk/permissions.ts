import { ENV, PERSON_INDEX } from '../../shared/runtime/shared-names.ts';
import type { Use } from './lambda-function.ts';
import type { Media } from './media.ts';
import type { Messaging } from './messaging.ts';
import type { Parameters } from './parameters.ts';
import type { EncryptionKey } from './kms-key.ts';
import type { Secrets } from './secrets.ts';
import type { Storage } from './storage.ts';
import { BUT_X_RAY } from './monitoring/tracing.ts';

type InfraClients = {
  readonly parameters: Parameters;
  readonly secrets: Secrets;
  readonly seal: EncryptionKey;
  readonly storage: Storage;
  /** What tells X-Ray what tasks take; none where it is not told. */
  readonly segments: readonly Use[];
};

/** What it takes to speak on both platforms, in every workspace. */
export const speaking = ({ parameters, secrets, seal }: InfraClients): Use[] => [
  parameters.use('HistoryDays', 'SlackApiUrl', 'DiscordApiUrl', 'DiscordApplicationId'),
  parameters.use('DiscordCdnHosts', 'DiscordMostMessages'),
  secrets.useSlackBot(),
  secrets.useSlackOAuth(),
  secrets.useDiscordBot(),
  seal.use('Encrypt', 'Decrypt'),
];

/** What it takes to show the models files and to ask them, within their limits and on somebody's account. */
export const asking = ({ parameters, secrets, storage, segments }: InfraClients): Use[] => [
  parameters.use('UpstreamBaseUrl', 'UpstreamModel', 'StandInModels', 'SystemPrompt'),
  parameters.use('SlackFilesHosts', 'SlackCommand'),
  parameters.use('SpeechLimit', 'VideoLimit', 'TimeZone', 'Accounts', 'DeploymentBudget'),
  secrets.useUpstream(),
  storage.useTokens('GetItem', 'UpdateItem'),
  ...segments,
];

/** The right to tell X-Ray what tasks take, where tracing is chosen. */
export const useSegments = (chosen: boolean): Use[] =>
  chosen
    ? [
        {
          env: { [ENV.tracing]: 'on' },
          allow: { actions: ['xray:PutTraceSegments'], resources: ['*'] },
          but: BUT_X_RAY,
        },
      ]
    : [];

/** What it takes to do the tasks of the queue, whichever worker does them. */
export const doingTasks = (
  on: InfraClients & {
    readonly common: readonly Use[];
    readonly media: Media;
    readonly messaging: Messaging;
    readonly publicUrl: string;
  },
): Use[] => [
  ...on.common,
  ...speaking(on),
  ...asking(on),
  on.parameters.use('OtherModels', 'FollowUpModel', 'Reasoning'),
  on.parameters.use('UpstreamVisionUrl', 'VideoModels', 'VideoPicture', 'MediaDays'),
  { env: { [ENV.publicUrl]: on.publicUrl } },
  ...on.media.use('GetObject', 'PutObject', 'DeleteObject'),
  on.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan'),
  on.storage.useIndexes(PERSON_INDEX),
  // What a command asks is put in line with its thread.
  on.messaging.useSend(),
  // A recording that a command is about goes to be heard.
  on.messaging.useSendVoice(),
];
