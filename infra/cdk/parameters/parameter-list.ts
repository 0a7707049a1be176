import type { CfnParameterProps } from 'aws-cdk-lib';
import { ENV } from '../../../shared/runtime/index.ts';

const URL_PATTERN = '(https://|http://(127\\.0\\.0\\.1|localhost)[:/]).+';
const NOT_A_URL = 'must be an https address';

/** All parameters, with the variable that each sets in the functions. docs/configuration.md is written from it. */
export const PARAMETERS = {
  LogLevel: {
    env: ENV.logLevel,
    description: 'Lowest level that is logged. `error` is the same as `warn`: alarms count warnings.',
    default: 'info',
    allowedValues: ['debug', 'info', 'warn', 'error'],
  },
  SlackApiUrl: {
    env: ENV.slackApiUrl,
    description: 'URL of the Slack Web API; change it for GovSlack or a proxy. Must end with a slash.',
    default: 'https://slack.com/api/',
    allowedPattern: `${URL_PATTERN}/`,
    constraintDescription: `${NOT_A_URL} that ends with a slash`,
  },
  SlackAllowedBots: {
    env: ENV.slackAllowedBots,
    description: 'Bots that may ask questions: bot, user or app ids, separated by commas. Default: none.',
    default: '',
    allowedPattern: '[A-Z0-9, ]*',
  },
  SlackBotUserId: {
    env: ENV.slackBotUserId,
    description: 'User id of the bot, only for a test server whose events do not contain it. Usually empty.',
    default: '',
    allowedPattern: '([UW][A-Z0-9]+)?',
  },
  SlackCommand: {
    env: ENV.slackCommand,
    description: 'Slash command of the Slack app, as in its manifest. The bot names it in help texts.',
    default: '/parley',
    allowedPattern: '/[a-z0-9_-]{1,31}',
    constraintDescription: 'must be a slash and 1 to 31 lower-case letters, digits, _ or -',
  },
  SlackFilesHosts: {
    env: ENV.slackFilesHosts,
    description:
      'Further hosts that files are fetched from with the bot token, separated by commas. Empty: only the hosts of Slack.',
    default: '',
    allowedPattern: '[A-Za-z0-9.:, -]*',
  },
  DiscordApiUrl: {
    env: ENV.discordApiUrl,
    description: 'URL of the Discord REST API; change it for a proxy or a test server.',
    default: 'https://discord.com/api',
    allowedPattern: URL_PATTERN,
    constraintDescription: NOT_A_URL,
  },
  DiscordApplicationId: {
    env: ENV.discordApplicationId,
    description: 'Id of the Discord application. Empty: Discord is not used.',
    default: '',
    allowedPattern: '([0-9]{15,20})?',
  },
  DiscordCdnHosts: {
    env: ENV.discordCdnHosts,
    description:
      'Hosts that attachments are fetched from, separated by commas. Empty: those of Discord and of DiscordApiUrl.',
    default: '',
    allowedPattern: '[A-Za-z0-9.:, -]*',
  },
  DiscordMostMessages: {
    env: ENV.discordMaxMessages,
    description: 'In Discord, an answer that needs more messages than this is sent as a file.',
    type: 'Number',
    default: 5,
    minValue: 1,
    maxValue: 20,
  },
  DiscordPublicKey: {
    env: ENV.discordPublicKey,
    description: 'Public key of the Discord application. Empty: Discord is not used.',
    default: '',
    allowedPattern: '([0-9a-f]{64})?',
    constraintDescription: 'must be 64 hex digits, as Discord shows them',
  },
  DiscordGatewayUrl: {
    env: ENV.discordGatewayUrl,
    description: 'URL of the Discord gateway; change it for a proxy.',
    default: 'wss://gateway.discord.gg',
    allowedPattern: '(wss://|ws://(127\\.0\\.0\\.1|localhost)[:/]).+',
    constraintDescription: 'must be a wss address',
  },
  DiscordMessages: {
    env: ENV.discordMessages,
    description:
      'Which messages the relay reads: mentions and direct messages, or all. All needs the Message Content intent.',
    default: 'mentions',
    allowedValues: ['mentions', 'all'],
  },
  DiscordRelayTasks: {
    env: ENV.discordRelayTasks,
    description: 'Number of relay processes, which share the shards. One is enough for 16,000 guilds.',
    type: 'Number',
    default: 1,
    minValue: 1,
    maxValue: 20,
  },
  ToolServerOrigins: {
    env: ENV.toolServerOrigins,
    description:
      'Origins of MCP servers that may be called although they are not public https addresses, separated by commas. For tests only.',
    default: '',
    allowedPattern: '[A-Za-z0-9.:/, -]*',
  },
  UpstreamBaseUrl: {
    env: ENV.upstreamBaseUrl,
    description:
      'URL of the chat-completions server, with or without /v1 at its end. Another version there replaces /v1, such as /v1beta/openai or /api/paas/v4. Where neither fits: the whole address of chat completions, up to /chat/completions.',
    allowedPattern: URL_PATTERN,
    constraintDescription: NOT_A_URL,
  },
  UpstreamVisionUrl: {
    env: ENV.upstreamVisionUrl,
    description: 'URL of the vision server, without its version prefix. Empty: no videos.',
    default: '',
    allowedPattern: `(${URL_PATTERN})?`,
    constraintDescription: NOT_A_URL,
  },
  UpstreamShape: {
    env: ENV.upstreamShape,
    description:
      'Form of chat requests: current (bearer key), or legacy (X-Api-Key, flat tools, no system role) for older servers.',
    default: 'current',
    allowedValues: ['current', 'legacy'],
  },
  FirstTokenSeconds: {
    env: ENV.firstTokenSeconds,
    description:
      'How long a model may think before the first part of its answer arrives, in seconds. After that the question is given up, and not sent again.',
    type: 'Number',
    default: 300,
    minValue: 1,
    maxValue: 400,
  },
  UpstreamModel: {
    env: ENV.upstreamModel,
    description: 'Id of the model that answers, as in the model list of the server.',
    minLength: 1,
  },
  OtherModels: {
    env: ENV.otherModels,
    description:
      'Models that a person can ask instead, by a button below an answer, separated by commas. Default: none.',
    default: '',
  },
  StandInModels: {
    env: ENV.standInModels,
    description:
      'Models that answer while another is at capacity, in this order, separated by commas. Default: none.',
    default: '',
  },
  FollowUpModel: {
    env: ENV.followUpModel,
    description: 'Model that suggests follow-up questions below an answer. Empty: no suggestions.',
    default: '',
  },
  SpeechLimit: {
    env: ENV.speechLimit,
    description:
      'Rate limit for speech: requests per minute / burst. Lowered automatically when the server responds 429.',
    default: '60/10',
    allowedPattern: '[1-9][0-9]{0,5}/[1-9][0-9]{0,5}',
  },
  VideoLimit: {
    env: ENV.videoLimit,
    description:
      'Rate limit for videos: jobs per minute / burst. Lowered automatically when the server responds 429.',
    default: '10/5',
    allowedPattern: '[1-9][0-9]{0,5}/[1-9][0-9]{0,5}',
  },
  Search: {
    env: ENV.search,
    description:
      'Web search: brave, tavily or searxng; then an address (required for searxng), the price of a search, and a rate limit, such as ' +
      '"brave $0.005 60/5". Its key is "searchKey" in the secret of the models. Empty: no web search.',
    default: '',
    allowedPattern: '((brave|tavily|searxng)( [^ ]+){0,3})?',
  },
  TimeZone: {
    env: ENV.timeZone,
    description:
      'Time zone of times that people see, and in which the days of budgets begin if a workspace sets no other (quota do:zone), such as Europe/Berlin. DeploymentBudget always uses it.',
    default: 'UTC',
    allowedPattern: '[A-Za-z]+([/_+-][A-Za-z0-9_+-]+)*',
  },
  FfmpegPath: {
    env: ENV.ffmpegPath,
    description:
      'Path of ffmpeg in the function Transcriber, such as /opt/bin/ffmpeg of your own layer, for recordings that ' +
      'cannot be decoded without it. Empty: not used.',
    default: '',
    allowedPattern: '(/[A-Za-z0-9._/-]+)?',
  },
  Accounts: {
    env: ENV.accounts,
    description:
      'Whether usage is recorded by person, channel, workspace and model, and budgets are enforced.',
    default: 'off',
    allowedValues: ['off', 'on'],
  },
  DeploymentBudget: {
    env: ENV.deploymentBudget,
    description:
      'What all workspaces together may spend, such as: $20/day $300/month 5000/month. It needs Accounts=on. Empty: no limit.',
    default: '',
    allowedPattern: '((\\$[0-9]{1,9}(\\.[0-9]{1,2})?|[0-9]{1,9})/(day|week|month)[ ,]*)*',
  },
  Reasoning: {
    env: ENV.reasoning,
    description:
      'How much of the reasoning of a model is shown: nothing, how long it took, also its end, or all of it as a file.',
    default: 'brief',
    allowedValues: ['off', 'brief', 'full', 'file'],
  },
  SystemPrompt: {
    env: ENV.systemPrompt,
    description:
      'System prompt: what the model is told about itself. At most 1,950 Latin letters, or 975 of other scripts.',
    default:
      'You are Parley, an assistant in a team chat. Answer in the language of the question, briefly and to the point, ' +
      'in Markdown. Several people may write in one thread. Say so when you do not know or cannot do something. Never claim to have done something outside this chat.',
    // Without one, no worker starts.
    minLength: 1,
    // All variables of a function together are limited to 4 KB, half of which names, URLs and model lists need.
    maxLength: 1950,
  },
  VideoModels: {
    env: ENV.videoModels,
    description:
      'Models that make videos and pictures, separated by commas: [operation=]name[:field[:price]]. operation is ' +
      'image-to-video (default), text-to-image, edit or text-to-video, field the name of the picture in the request ' +
      '(image_url), price the dollars per result. Also undocumented paths of the vision ' +
      'server (operation=/path), and other origins of links of jobs (links=https://host). Empty: none.',
    default: '',
    allowedPattern: '[A-Za-z0-9._:,=/{} -]*',
  },
  VideoPicture: {
    env: ENV.videoPicture,
    description:
      'How the vision server gets the picture: as a URL that is valid for two hours, or as data in the request.',
    default: 'url',
    allowedValues: ['url', 'data'],
  },
  MediaDays: {
    env: ENV.mediaDays,
    description: 'Days until a video is deleted from the bucket.',
    type: 'Number',
    default: 30,
    minValue: 1,
    maxValue: 3650,
  },
  HistoryDays: {
    env: ENV.historyDays,
    description: 'Days until a turn expires.',
    type: 'Number',
    default: 30,
    minValue: 1,
    maxValue: 3650,
  },
} as const satisfies Record<string, CfnParameterProps & { env: string }>;
