/*
 * The environment variables of the functions. Each is a constant of its own, so that a bundle contains only
 * those that it reads.
 */

export const stage = 'STAGE';
export const logLevel = 'LOG_LEVEL';
export const conversationsTable = 'CONVERSATIONS_TABLE';
export const tokensTable = 'TOKENS_TABLE';
export const taskQueueUrl = 'TASK_QUEUE_URL';
export const voiceQueueUrl = 'VOICE_QUEUE_URL';
/**
 * A queue name, not a URL: it is in the same account and region as the function's own queue, and Lambda allows
 * only 4 KB of variables.
 */
export const deadLettersQueue = 'DEAD_QUEUE';
export const isolatedQueue = 'ALONE_QUEUE';
export const slackSigningSecretId = 'SLACK_SIGNING_SECRET_ID';
export const slackBotSecretId = 'SLACK_BOT_SECRET_ID';
export const upstreamSecretId = 'UPSTREAM_SECRET_ID';
export const slackApiUrl = 'SLACK_API_URL';
export const slackAllowedBots = 'SLACK_ALLOWED_BOTS';
export const slackCommand = 'SLACK_COMMAND';
export const slackFilesHosts = 'SLACK_FILES_HOSTS';
export const slackBotUserId = 'SLACK_BOT_USER_ID';
export const upstreamBaseUrl = 'UPSTREAM_BASE_URL';
export const upstreamVisionUrl = 'UPSTREAM_VISION_URL';
/** Which form of the interface chat requests have. */
export const upstreamShape = 'UPSTREAM_SHAPE';
/** How long a model may think before its answer begins (s). */
export const firstTokenSeconds = 'FIRST_TOKEN_SECONDS';
export const upstreamModel = 'UPSTREAM_MODEL';
export const otherModels = 'OTHER_MODELS';
export const standInModels = 'STAND_IN_MODELS';
export const followUpModel = 'FOLLOW_UP_MODEL';
export const speechLimit = 'SPEECH_LIMIT';
export const videoLimit = 'VIDEO_LIMIT';
/** The service of the web search, its address, price and rate limit in one: Lambda allows 4 KB of variables. */
export const search = 'SEARCH';
export const timeZone = 'TIME_ZONE';
export const ffmpegPath = 'FFMPEG_PATH';
export const accounts = 'ACCOUNTS';
export const deploymentBudget = 'DEPLOYMENT_BUDGET';
export const reasoning = 'REASONING';
export const systemPrompt = 'SYSTEM_PROMPT';
export const historyDays = 'HISTORY_DAYS';
export const mediaBucket = 'MEDIA_BUCKET';
export const mediaDays = 'MEDIA_DAYS';
export const publicUrl = 'PUBLIC_URL';
/** The address of the API for integrations. */
export const apiUrl = 'API_URL';
export const canaryChannel = 'CANARY_CHANNEL';
export const canaryPerson = 'CANARY_PERSON';
export const videoModels = 'VIDEO_MODELS';
export const videoPicture = 'VIDEO_PICTURE';
export const sealKeyId = 'SEAL_KEY_ID';
export const slackOAuthSecretId = 'SLACK_OAUTH_SECRET_ID';
export const discordPublicKey = 'DISCORD_PUBLIC_KEY';
export const discordBotSecretId = 'DISCORD_BOT_SECRET_ID';
export const discordApiUrl = 'DISCORD_API_URL';
export const discordGatewayUrl = 'DISCORD_GATEWAY_URL';
export const discordMessages = 'DISCORD_MESSAGES';
export const discordRelayTasks = 'DISCORD_RELAY_TASKS';
export const discordApplicationId = 'DISCORD_APPLICATION_ID';
export const discordCdnHosts = 'DISCORD_CDN_HOSTS';
export const discordMaxMessages = 'DISCORD_MOST_MESSAGES';
/** Origins of MCP servers that are called although they are not public. */
export const toolServerOrigins = 'TOOL_SERVER_ORIGINS';
/** Whether tasks send segments to X-Ray. */
export const tracing = 'TRACING';
/** How long a process may finish its tasks after it was told to stop (s). */
export const drainSeconds = 'DRAIN_SECONDS';
