import { Duration, type Stack } from 'aws-cdk-lib';
import { ENV, ROUTES } from '../../../shared/runtime/index.ts';
import type { Api } from './api.ts';
import { LambdaFunction, type Use } from '../lambda-function.ts';
import type { EncryptionKey } from '../kms-key.ts';
import type { Messaging } from '../messaging.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Secrets } from '../secrets.ts';
import type { Storage } from '../storage.ts';

/** The stack, with what the fronts use of it. */
type FrontStack = Stack & {
  readonly parameters: Parameters;
  readonly secrets: Secrets;
  readonly encryptionKey: EncryptionKey;
  readonly storage: Storage;
  readonly messaging: Messaging;
  /** The public base URL of the API. */
  readonly publicUrl: string;
  readonly common: readonly Use[];
};

/**
 * Creates the functions behind the public routes, each with its permissions, and their routes, each with its protection. Returns the front of Discord's
 * interactions.
 */
export function createFronts(stack: FrontStack, api: Api, isBehindFirewall: boolean): LambdaFunction {
  api.post(
    ROUTES.slackEvents,
    createSlackEvents(stack),
    'The function verifies the signature of Slack over the raw body.',
  );
  api.get(
    [ROUTES.slackInstall, ROUTES.slackRedirect],
    createSlackOAuth(stack, isBehindFirewall),
    'People come by browser and are asked by Slack; a signed state, kept in a cookie, ties both visits together.',
  );
  api.get(
    [ROUTES.toolSignIn],
    createToolSignIn(stack),
    'People come by browser; the random state in the address is the secret, of which the table holds a hash.',
  );
  const signed = 'The function verifies the Ed25519 signature of Discord over the raw body.';
  const discordInteractions = createDiscordInteractions(stack);
  api.post(ROUTES.discordInteractions, discordInteractions, signed);
  api.post(ROUTES.discordEvents, createDiscordEvents(stack), signed);
  api.postWithLowThrottle(
    ROUTES.videoCallback,
    createVideoCallback(stack),
    'The address itself is the secret: 32 random bytes for each job, of which the table holds a hash.',
  );
  return discordInteractions;
}

/** Public. Reads the bot token only to open modals, after the signature is verified. */
function createSlackEvents(stack: FrontStack): LambdaFunction {
  return new LambdaFunction(stack, 'SlackEvents', {
    entry: 'slack-events',
    invocationLog: 'failures',
    isTraceStart: true,
    description: 'Verifies a Slack request, records it, and queues its task',
    timeout: Duration.seconds(5),
    // More memory for more CPU: Slack waits three seconds, within which this function may open a modal.
    memory: 512,
    uses: [
      ...stack.common,
      stack.parameters.use('SlackAllowedBots', 'SlackBotUserId', 'SlackApiUrl'),
      stack.parameters.use('HistoryDays', 'VideoModels'),
      stack.secrets.useSlackSigning(),
      stack.secrets.useSlackBot(),
      stack.encryptionKey.useForInstalls('Decrypt'),
      stack.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query'),
      stack.messaging.useSend(),
      stack.messaging.useRedeliver(),
      stack.messaging.useSendVoice(),
    ],
  });
}

/** Public. It may add an installation, but neither read nor change one. */
function createSlackOAuth(stack: FrontStack, isBehindFirewall: boolean): LambdaFunction {
  return new LambdaFunction(stack, 'SlackOAuthPages', {
    entry: 'slack-oauth',
    invocationLog: 'failures',
    description: 'Pages of the Slack OAuth install; stores the install',
    timeout: Duration.seconds(20),
    uses: [
      ...stack.common,
      stack.parameters.use('SlackApiUrl'),
      // Behind the firewall a request does not contain the public host name.
      { env: isBehindFirewall ? { [ENV.publicUrl]: stack.publicUrl } : {} },
      stack.secrets.useSlackOAuth(),
      stack.encryptionKey.useForInstalls('Encrypt'),
      stack.storage.useConversations('PutItem'),
    ],
  });
}

/** Public. It has no token, and can read nothing but the context of its own modals. */
function createDiscordInteractions(stack: FrontStack): LambdaFunction {
  return new LambdaFunction(stack, 'DiscordInteractions', {
    entry: 'discord-interactions',
    invocationLog: 'failures',
    isTraceStart: true,
    description: 'Verifies a Discord interaction, queues its task, and responds within three seconds',
    timeout: Duration.seconds(5),
    // More memory for more CPU: three seconds are short for a cold start.
    memory: 512,
    uses: [
      ...stack.common,
      stack.parameters.use('DiscordPublicKey', 'UpstreamModel', 'OtherModels', 'HistoryDays', 'VideoModels'),
      stack.storage.useConversations('GetItem', 'PutItem', 'UpdateItem'),
      stack.messaging.useSend(),
      stack.messaging.useRedeliver(),
    ],
  });
}

/** Public. It may only enqueue tasks. */
function createDiscordEvents(stack: FrontStack): LambdaFunction {
  return new LambdaFunction(stack, 'DiscordEvents', {
    entry: 'discord-events',
    invocationLog: 'failures',
    isTraceStart: true,
    description: 'Receives webhook events of Discord: when a person removes the app, queues the erasure',
    timeout: Duration.seconds(5),
    uses: [...stack.common, stack.parameters.use('DiscordPublicKey'), stack.messaging.useSend()],
  });
}

/** Public. It may read that a sign-in has begun, and enqueue its end. */
function createToolSignIn(stack: FrontStack): LambdaFunction {
  return new LambdaFunction(stack, 'ToolSignIn', {
    entry: 'tool-sign-in',
    invocationLog: 'failures',
    description: 'The page after a sign-in at an MCP server; queues the end of the sign-in',
    timeout: Duration.seconds(5),
    uses: [
      ...stack.common,
      stack.parameters.use('HistoryDays'),
      stack.storage.useConversations('GetItem'),
      stack.messaging.useSend(),
    ],
  });
}

/** Public. It may read a job, and enqueue a status check. */
function createVideoCallback(stack: FrontStack): LambdaFunction {
  return new LambdaFunction(stack, 'VideoCallback', {
    entry: 'video-callback',
    invocationLog: 'failures',
    description: 'Receives the callback of a video, and queues a poll of its job',
    timeout: Duration.seconds(5),
    uses: [
      ...stack.common,
      stack.parameters.use('HistoryDays'),
      stack.storage.useConversations('GetItem'),
      stack.messaging.useSend(),
    ],
  });
}
