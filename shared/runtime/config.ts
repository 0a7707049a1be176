import * as z from 'zod/mini';
import { readVideoModels } from '../jobs/index.ts';
import { type Level, LEVELS } from './log.ts';
import { ENV } from './names.ts';
import { budgets, limit, zone } from './written.ts';

/** AWS services that are called by small signed requests. */
export type AwsService = 'dynamodb' | 'sqs' | 'secretsmanager' | 'kms';

/** And the one that takes files. */
export type AwsPlace = AwsService | 's3';

/** How to reach AWS: set by Lambda on every function, or by the local engine. */
export type AwsAccess = {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Where a service is, if not at its public address. */
  readonly endpoints: Readonly<Partial<Record<AwsPlace, string>>>;
};

const NAMES = {
  ...ENV,
  region: 'AWS_REGION',
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
  endpoint: 'AWS_ENDPOINT_URL',
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqs: 'AWS_ENDPOINT_URL_SQS',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  s3: 'AWS_ENDPOINT_URL_S3',
  kms: 'AWS_ENDPOINT_URL_KMS',
} as const;
type Name = keyof typeof NAMES;

const text = z.string().check(z.minLength(1));
const address = z.url({ protocol: /^https?$/, error: 'it has to be an http or https address' });
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, `it has to be one of ${names.join(', ')}`);
const DAYS = 'it has to be a whole number from 1 to 3650';
/** Names separated by commas or blanks. */
const list = z.pipe(
  z._default(z.string(), ''),
  z.transform((names) => names.split(/[\s,]+/u).filter((name) => name !== '')),
);

const common = z.object({
  stage: z._default(text, 'dev'),
  logLevel: z._default(oneOf(LEVELS), 'info'),
  region: text,
  accessKeyId: text,
  secretAccessKey: text,
  sessionToken: z.optional(text),
  endpoint: z.optional(address),
  dynamodb: z.optional(address),
  sqs: z.optional(address),
  secretsmanager: z.optional(address),
  s3: z.optional(address),
  kms: z.optional(address),
});
type Common = { readonly stage: string; readonly logLevel: Level; readonly aws: AwsAccess };

const conversations = {
  conversationsTable: text,
  historyDays: z._default(
    z.coerce.number(DAYS).check(z.int(DAYS), z.minimum(1, DAYS), z.maximum(3650, DAYS)),
    30,
  ),
};
const queue = { taskQueueUrl: address };
/** Of those who put recordings on their queue. */
const voice = { voiceQueueUrl: address };
const slackBot = {
  slackBotSecretId: text,
  slackApiUrl: z.pipe(
    z._default(address, 'https://slack.com/api/'),
    z.transform((url) => (url.endsWith('/') ? url : `${url}/`)),
  ),
};

const MESSAGES = 'it has to be a whole number from 1 to 20';
const discordBot = {
  discordBotSecretId: text,
  discordApiUrl: z._default(address, 'https://discord.com/api'),
  /** Empty where there is no Discord. */
  discordApplicationId: z._default(z.string(), ''),
  discordCdnHosts: list,
  /** A longer answer than this many messages is sent as a file. */
  discordMostMessages: z._default(
    z.coerce.number(MESSAGES).check(z.int(MESSAGES), z.minimum(1, MESSAGES), z.maximum(20, MESSAGES)),
    5,
  ),
};

/** The tokens that workspaces bring along, and the app that they install. */
const installs = { sealKeyId: text, slackOAuthSecretId: text };

const video = {
  mediaBucket: text,
  publicUrl: address,
  videoPicture: z._default(oneOf(['url', 'data']), 'url'),
  videoModels: z.pipe(
    z._default(z.string(), ''),
    z.transform((entries, context) => {
      const models = readVideoModels(entries);
      if (models !== undefined) return models;
      const message = 'it has to be names, or name:field, or name:field:price, separated by commas';
      context.issues.push({ code: 'custom', message, input: entries });
      return z.NEVER;
    }),
  ),
  mediaDays: z._default(
    z.coerce.number(DAYS).check(z.int(DAYS), z.minimum(1, DAYS), z.maximum(3650, DAYS)),
    30,
  ),
};
/** The models, and the limits they are asked within. */
const models = {
  tokensTable: text,
  upstreamSecretId: text,
  upstreamBaseUrl: address,
  upstreamVisionUrl: z.optional(address),
  upstreamModel: text,
  standInModels: list,
  speechLimit: z.optional(limit),
  videoLimit: z.optional(limit),
  timeZone: z._default(zone, 'UTC'),
};

/** What it takes to speak on both platforms, in every workspace. */
const speaking = { ...slackBot, ...discordBot, ...installs };
/** What it takes to show the models files and to ask them, within their limits and on somebody's account. */
const asking = {
  ...models,
  slackFilesHosts: list,
  slackCommand: z._default(
    z.string().check(z.regex(/^\/[a-z0-9_-]{1,31}$/, 'it has to be a slash and small letters')),
    '/parley',
  ),
  accounts: z._default(oneOf(['off', 'on']), 'off'),
  deploymentBudget: z.pipe(z._default(z.string(), ''), budgets),
};

const worker = z.object({
  ...video,
  ...conversations,
  ...queue,
  ...voice,
  ...speaking,
  ...asking,
  systemPrompt: text,
  otherModels: list,
  followUpModel: z.optional(text),
  reasoning: z._default(oneOf(['off', 'brief', 'full', 'file']), 'brief'),
});
const deadLetters = z.object({ ...conversations, ...queue, ...speaking, otherModels: list });
const slackOAuth = z.object({
  conversationsTable: text,
  ...installs,
  slackApiUrl: slackBot.slackApiUrl,
});
const callback = z.object({ ...conversations, ...queue });
const transcriber = z.object({
  ...conversations,
  ...queue,
  ...voice,
  ...speaking,
  ...asking,
  /** Where ffmpeg lies, if it is there. */
  ffmpegPath: z.optional(text),
});
const sweeper = z.object({ ...conversations, ...queue, ...voice });

const relay = z.object({
  ...conversations,
  ...queue,
  ...voice,
  tokensTable: text,
  discordBotSecretId: text,
  discordApiUrl: z._default(address, 'https://discord.com/api'),
  discordGatewayUrl: z._default(
    z.url({ protocol: /^wss?$/, error: 'it has to be a wss or ws address' }),
    'wss://gateway.discord.gg',
  ),
  discordMessages: z._default(oneOf(['mentions', 'all']), 'mentions'),
});

type Env = Readonly<Record<string, string | undefined>>;

/** What `worker` is told. Throws WrongConfig, as all below do. */
export const workerConfig = (env: Env = process.env) => read(worker, env);
/** What `dead-letters` is told. */
export const deadLettersConfig = (env: Env = process.env) => read(deadLetters, env);
/** What `slack-oauth` is told. */
export const slackOAuthConfig = (env: Env = process.env) => read(slackOAuth, env);
/** What `video-callback` is told. */
export const callbackConfig = (env: Env = process.env) => read(callback, env);
/** What `transcriber` is told. */
export const transcriberConfig = (env: Env = process.env) => read(transcriber, env);
/** The variables as they are, for a process that adds to them what it has to fetch. */
export const environment = (): Env => process.env;
/** What `discord-gateway` is told. */
export const relayConfig = (env: Env = process.env) => read(relay, env);
/** What `sweeper` is told. */
export const sweeperConfig = (env: Env = process.env) => read(sweeper, env);

export type SlackOAuthConfig = ReturnType<typeof slackOAuthConfig>;
export type TranscriberConfig = ReturnType<typeof transcriberConfig>;
/** What is told to those who ask the models. */
export type ModelsConfig = z.infer<z.ZodMiniObject<typeof models>> & Common;
/** What is told to those who speak on both platforms. */
export type SpeakingConfig = z.infer<z.ZodMiniObject<typeof conversations & typeof queue & typeof speaking>> &
  Common;
export type WorkerConfig = ReturnType<typeof workerConfig>;

/** Names every variable that is missing or wrong, and where its value comes from. Holds no values. */
export class WrongConfig extends Error {
  override readonly name = 'WrongConfig';
}

function read<Shape extends Record<string, z.ZodMiniType>>(
  shape: z.ZodMiniObject<Shape>,
  env: Env,
): z.infer<z.ZodMiniObject<Shape>> & Common {
  const given = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, env[name] === '' ? undefined : env[name]]),
  );
  const base = common.safeParse(given);
  const own = shape.safeParse(given);
  if (base.success && own.success) {
    const { stage, logLevel } = base.data;
    const shared: Common = { stage, logLevel, aws: access(base.data) };
    return { ...own.data, ...shared };
  }
  const issues = [...(base.error?.issues ?? []), ...(own.error?.issues ?? [])];
  const faults = issues.map(({ path: [key], message }) => {
    const name = isName(key) ? NAMES[key] : String(key);
    const fault = env[name] ? `is not right: ${message}` : 'is missing';
    return `  ${name} ${fault} (${origin(name)})`;
  });
  throw new WrongConfig(`The configuration is incomplete:\n${faults.join('\n')}`);
}

function access(given: z.infer<typeof common>): AwsAccess {
  const { region, accessKeyId, secretAccessKey, sessionToken, endpoint } = given;
  const endpoints: Partial<Record<AwsPlace, string>> = {};
  for (const service of ['dynamodb', 'sqs', 'secretsmanager', 'kms', 's3'] as const) {
    const url = given[service] ?? endpoint;
    if (url !== undefined) endpoints[service] = url;
  }
  return {
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    endpoints,
  };
}

const isName = (key: unknown): key is Name => typeof key === 'string' && Object.hasOwn(NAMES, key);

function origin(name: string): string {
  if (name.startsWith('AWS_')) return 'set by Lambda, or by `npm start`';
  return /^STAGE$|_(?:TABLE|ID|QUEUE_URL)$/u.test(name) && name !== ENV.slackBotUserId
    ? 'set by the deployment; see infra/stack.ts'
    : 'a parameter of the deployment, or in .env';
}
