/** Names that the deployment (`infra`) and the functions share: each is written once, here. */

/** Environment variables that the deployment sets on functions. */
export const ENV = {
  stage: 'STAGE',
  logLevel: 'LOG_LEVEL',
  conversationsTable: 'CONVERSATIONS_TABLE',
  tokensTable: 'TOKENS_TABLE',
  taskQueueUrl: 'TASK_QUEUE_URL',
  voiceQueueUrl: 'VOICE_QUEUE_URL',
  slackSigningSecretId: 'SLACK_SIGNING_SECRET_ID',
  slackBotSecretId: 'SLACK_BOT_SECRET_ID',
  upstreamSecretId: 'UPSTREAM_SECRET_ID',
  slackApiUrl: 'SLACK_API_URL',
  slackAllowedBots: 'SLACK_ALLOWED_BOTS',
  slackCommand: 'SLACK_COMMAND',
  slackFilesHosts: 'SLACK_FILES_HOSTS',
  slackBotUserId: 'SLACK_BOT_USER_ID',
  upstreamBaseUrl: 'UPSTREAM_BASE_URL',
  upstreamVisionUrl: 'UPSTREAM_VISION_URL',
  upstreamModel: 'UPSTREAM_MODEL',
  otherModels: 'OTHER_MODELS',
  standInModels: 'STAND_IN_MODELS',
  followUpModel: 'FOLLOW_UP_MODEL',
  speechLimit: 'SPEECH_LIMIT',
  videoLimit: 'VIDEO_LIMIT',
  timeZone: 'TIME_ZONE',
  ffmpegPath: 'FFMPEG_PATH',
  accounts: 'ACCOUNTS',
  deploymentBudget: 'DEPLOYMENT_BUDGET',
  reasoning: 'REASONING',
  systemPrompt: 'SYSTEM_PROMPT',
  historyDays: 'HISTORY_DAYS',
  mediaBucket: 'MEDIA_BUCKET',
  mediaDays: 'MEDIA_DAYS',
  publicUrl: 'PUBLIC_URL',
  videoModels: 'VIDEO_MODELS',
  videoPicture: 'VIDEO_PICTURE',
  sealKeyId: 'SEAL_KEY_ID',
  slackOAuthSecretId: 'SLACK_OAUTH_SECRET_ID',
  discordPublicKey: 'DISCORD_PUBLIC_KEY',
  discordBotSecretId: 'DISCORD_BOT_SECRET_ID',
  discordApiUrl: 'DISCORD_API_URL',
  discordGatewayUrl: 'DISCORD_GATEWAY_URL',
  discordMessages: 'DISCORD_MESSAGES',
  discordApplicationId: 'DISCORD_APPLICATION_ID',
  discordCdnHosts: 'DISCORD_CDN_HOSTS',
  discordMostMessages: 'DISCORD_MOST_MESSAGES',
} as const;

/** Routes of the HTTP API. */
export const ROUTES = {
  slackEvents: '/slack/events',
  slackInstall: '/slack/install',
  slackRedirect: '/slack/oauth_redirect',
  discordInteractions: '/discord/interactions',
  discordEvents: '/discord/events',
  videoCallback: '/callbacks/video/{job}/{secret}',
} as const;

/** Keys and the sparse index of the `conversations` table; `tokens` has the partition key alone. */
export const KEYS = { partition: 'pk', sort: 'sk', ttl: 'ttl' } as const;

/** Holds only what still needs a later look: `open` names the kind of look, `due` when (s since 1970). */
export const OPEN_INDEX = { name: 'open', partition: 'open', sort: 'due' } as const;

/** How the task queue delivers. */
export const TASKS = {
  /** A task delivered this often without success goes to the dead letters. */
  maxReceives: 5,
  /** The longest that one invocation of the worker may take; the queue's own visibility is a little more. */
  workerSeconds: 600,
  visibilitySeconds: 630,
  batchSize: 10,
} as const;

/** How the queue of recordings delivers: one at a time, since each may fill the memory and the minutes of a function. */
export const RECORDINGS = {
  maxReceives: 5,
  workerSeconds: 900,
  visibilitySeconds: 930,
  batchSize: 1,
} as const;
