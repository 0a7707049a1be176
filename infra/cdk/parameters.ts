import { CfnParameter } from 'aws-cdk-lib';
import type { CfnParameterProps, Stack } from 'aws-cdk-lib';
import { ENV } from '../../shared/runtime/shared-names.ts';
import type { Use } from './lambda-function.ts';

const ADDRESS = '(https://|http://(127\\.0\\.0\\.1|localhost)[:/]).+';
const NOT_AN_ADDRESS = 'must be an https address';

const PARAMETERS = {
  LogLevel: {
    env: ENV.logLevel,
    description: 'Least level that is logged.',
    default: 'info',
    allowedValues: ['debug', 'info', 'warn', 'error'],
  },
  SlackApiUrl: {
    env: ENV.slackApiUrl,
    description: 'Slack Web API; another for GovSlack or a proxy. Ends with a slash.',
    default: 'https://slack.com/api/',
    allowedPattern: `${ADDRESS}/`,
    constraintDescription: `${NOT_AN_ADDRESS} that ends with a slash`,
  },
  SlackAllowedBots: {
    env: ENV.slackAllowedBots,
    description: 'Bots that may ask: their bot, user or app ids, separated by commas. None by default.',
    default: '',
    allowedPattern: '[A-Z0-9, ]*',
  },
  SlackBotUserId: {
    env: ENV.slackBotUserId,
    description: 'User id of the bot, for a workspace whose events do not name it. Empty: they do.',
    default: '',
    allowedPattern: '([UW][A-Z0-9]+)?',
  },
  SlackCommand: {
    env: ENV.slackCommand,
    description: 'The slash command of the Slack app, as its manifest names it: people are told to type it.',
    default: '/parley',
    allowedPattern: '/[a-z0-9_-]{1,31}',
    constraintDescription: 'must be a slash and 1 to 31 small letters, digits, _ or -',
  },
  SlackFilesHosts: {
    env: ENV.slackFilesHosts,
    description:
      'More hosts that files come from and that are sent the token of the bot, separated by commas. Empty: those of Slack alone.',
    default: '',
    allowedPattern: '[A-Za-z0-9.:, -]*',
  },
  DiscordApiUrl: {
    env: ENV.discordApiUrl,
    description: 'REST API of Discord; another for a proxy or a test server.',
    default: 'https://discord.com/api',
    allowedPattern: ADDRESS,
    constraintDescription: NOT_AN_ADDRESS,
  },
  DiscordApplicationId: {
    env: ENV.discordApplicationId,
    description: 'Id of the Discord application. Empty: there is no Discord.',
    default: '',
    allowedPattern: '([0-9]{15,20})?',
  },
  DiscordCdnHosts: {
    env: ENV.discordCdnHosts,
    description:
      'Hosts that attachments are fetched from, separated by commas. Empty: those of Discord, and of DiscordApiUrl.',
    default: '',
    allowedPattern: '[A-Za-z0-9.:, -]*',
  },
  DiscordMostMessages: {
    env: ENV.discordMostMessages,
    description: 'An answer on Discord that would take more messages than this is sent as a file.',
    type: 'Number',
    default: 5,
    minValue: 1,
    maxValue: 20,
  },
  DiscordPublicKey: {
    env: ENV.discordPublicKey,
    description: 'Public key of the Discord application. Empty: there is no Discord.',
    default: '',
    allowedPattern: '([0-9a-f]{64})?',
    constraintDescription: 'must be the 64 hex digits that Discord shows',
  },
  DiscordGatewayUrl: {
    env: ENV.discordGatewayUrl,
    description: 'Gateway of Discord; another for a proxy.',
    default: 'wss://gateway.discord.gg',
    allowedPattern: '(wss://|ws://(127\\.0\\.0\\.1|localhost)[:/]).+',
    constraintDescription: 'must be a wss address',
  },
  DiscordMessages: {
    env: ENV.discordMessages,
    description:
      'What the relay reads: messages that name the bot and DMs, or all, which Discord has to allow (Message Content).',
    default: 'mentions',
    allowedValues: ['mentions', 'all'],
  },
  DiscordRelayTasks: {
    env: ENV.discordRelayTasks,
    description: 'Processes of the relay, which share its shards. One does for 16,000 guilds.',
    type: 'Number',
    default: 1,
    minValue: 1,
    maxValue: 20,
  },
  UpstreamBaseUrl: {
    env: ENV.upstreamBaseUrl,
    description: 'Chat-completions server, without /v1.',
    allowedPattern: ADDRESS,
    constraintDescription: NOT_AN_ADDRESS,
  },
  UpstreamVisionUrl: {
    env: ENV.upstreamVisionUrl,
    description: 'Vision server, without its version prefix. Empty: pictures are not turned into videos.',
    default: '',
    allowedPattern: `(${ADDRESS})?`,
    constraintDescription: NOT_AN_ADDRESS,
  },
  UpstreamModel: {
    env: ENV.upstreamModel,
    description: 'Model that answers, as the model list of the server names it.',
    minLength: 1,
  },
  OtherModels: {
    env: ENV.otherModels,
    description:
      'Models that are offered under an answer as others to ask, separated by commas. None by default.',
    default: '',
  },
  StandInModels: {
    env: ENV.standInModels,
    description:
      'Models that answer while another is full, in this order, separated by commas. None by default.',
    default: '',
  },
  FollowUpModel: {
    env: ENV.followUpModel,
    description:
      'Model that makes up questions to ask next, offered below an answer. Empty: none are offered.',
    default: '',
  },
  SpeechLimit: {
    env: ENV.speechLimit,
    description:
      'Recordings that the server takes a minute, and back to back. Lowered by itself while it is too high.',
    default: '60/10',
    allowedPattern: '[1-9][0-9]{0,5}/[1-9][0-9]{0,5}',
  },
  VideoLimit: {
    env: ENV.videoLimit,
    description:
      'Videos that may be begun a minute, and back to back. Lowered by itself while it is too high.',
    default: '10/5',
    allowedPattern: '[1-9][0-9]{0,5}/[1-9][0-9]{0,5}',
  },
  TimeZone: {
    env: ENV.timeZone,
    description: 'Time zone in which people are told the time, such as Europe/Berlin.',
    default: 'UTC',
    allowedPattern: '[A-Za-z]+([/_+-][A-Za-z0-9_+-]+)*',
  },
  FfmpegPath: {
    env: ENV.ffmpegPath,
    description:
      'Where ffmpeg lies in the function Transcriber, such as /opt/bin/ffmpeg of a layer of yours: for recordings that ' +
      'are not decoded without it. Empty: there is none.',
    default: '',
    allowedPattern: '(/[A-Za-z0-9._/-]+)?',
  },
  Accounts: {
    env: ENV.accounts,
    description: 'Whether what is spent is kept by person, channel, workspace and model, and budgets hold.',
    default: 'off',
    allowedValues: ['off', 'on'],
  },
  DeploymentBudget: {
    env: ENV.deploymentBudget,
    description:
      'What all workspaces together may spend, such as: $20/day $300/month 5000/month. Empty: no bound.',
    default: '',
    allowedPattern: '((\\$[0-9]{1,9}(\\.[0-9]{1,2})?|[0-9]{1,9})/(day|week|month)[ ,]*)*',
  },
  Reasoning: {
    env: ENV.reasoning,
    description:
      'How much of the reasoning of a model is shown: nothing, that it took place, its end too, or all of it as a file.',
    default: 'brief',
    allowedValues: ['off', 'brief', 'full', 'file'],
  },
  SystemPrompt: {
    env: ENV.systemPrompt,
    description:
      'What the model is told about itself, before the conversation: 2,000 letters, half as many of other scripts.',
    default:
      'You are Parley, an assistant in a team chat. Answer in the language of the question, briefly and to the point, ' +
      'in Markdown. Several people may write in one thread. Say so when you do not know or cannot do something. Never claim to have done something outside this chat.',
    // All variables of a function together may not exceed 4 KB, of which names, addresses and lists of models take half.
    maxLength: 2000,
  },
  VideoModels: {
    env: ENV.videoModels,
    description:
      'Models that make videos of pictures, separated by commas: name[:field[:price]], where field is what its input ' +
      'calls the picture (image_url) and price what one video costs in dollars. Empty: no videos are made.',
    default: '',
    allowedPattern: '[A-Za-z0-9._:, -]*',
  },
  VideoPicture: {
    env: ENV.videoPicture,
    description:
      'How the picture is handed to the vision server: as an address that it can fetch for an hour, or as its content.',
    default: 'url',
    allowedValues: ['url', 'data'],
  },
  MediaDays: {
    env: ENV.mediaDays,
    description: 'Days after which a video is removed from the bucket.',
    type: 'Number',
    default: 30,
    minValue: 1,
    maxValue: 3650,
  },
  HistoryDays: {
    env: ENV.historyDays,
    description: 'Days after which a turn is forgotten.',
    type: 'Number',
    default: 30,
    minValue: 1,
    maxValue: 3650,
  },
} as const satisfies Record<string, CfnParameterProps & { env: string }>;

/** What is given at deployment (`--parameters Name=value`): the same template serves every installation. */
export type ParameterName = keyof typeof PARAMETERS;

/** Declares all parameters, and hands each to the functions that ask for it. */
export class Parameters {
  private readonly made = new Map<ParameterName, CfnParameter>();
  private readonly stack: Stack;

  constructor(stack: Stack) {
    this.stack = stack;
  }

  /** The variables that hold these parameters. A parameter that no function uses does not come into being. */
  use(...names: ParameterName[]): Use {
    return { env: Object.fromEntries(names.map((name) => [PARAMETERS[name].env, this.value(name)])) };
  }

  value(name: ParameterName): string {
    return this.declared(name).valueAsString;
  }

  /** Of a parameter that is a number. */
  number(name: ParameterName): number {
    return this.declared(name).valueAsNumber;
  }

  private declared(name: ParameterName): CfnParameter {
    const { env: _, ...props } = PARAMETERS[name];
    const parameter = this.made.get(name) ?? new CfnParameter(this.stack, name, props);
    this.made.set(name, parameter);
    return parameter;
  }
}
