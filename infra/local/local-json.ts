import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { getValue, type Variables } from '../configuration/index.ts';
import type { Emulator } from './emulator.ts';
import { writePrivateJson } from './private-file.ts';
import type { DiscordService } from './services/discord.ts';
import type { SlackService, UpstreamService } from './services/services.ts';
import { getQueueUrl, LOCAL_SECRET, REGION } from './template/resource-names.ts';

/** URLs and credentials of a running local system: the layout of `local.json`, which is a contract. */
export type LocalJson = {
  readonly api: string;
  /** Where a person looks; null when Slack is real. */
  readonly page: string | null;
  readonly slack: {
    readonly apiUrl: string;
    readonly signingSecret: string;
    readonly botToken: string;
    readonly botUserId: string;
    readonly teamId: string | null;
    readonly channel: string | null;
    readonly users: readonly { readonly id: string; readonly name: string }[];
  };
  readonly discord: {
    /** With the version: `https://discord.com/api/v10`. */
    readonly apiUrl: string;
    /** Null without a gateway: only interactions arrive then. */
    readonly gatewayUrl: string | null;
    /** 32 bytes in hex, like Discord shows them. */
    readonly publicKey: string;
    /** The private seed, 32 bytes in hex; null with the real Discord. */
    readonly privateKey: string | null;
    readonly applicationId: string;
    readonly botToken: string | null;
    /** A guild with the bot, and its first channel; null with the real Discord. */
    readonly guildId: string | null;
    readonly channelId: string | null;
    readonly users: readonly { readonly id: string; readonly name: string }[];
  };
  readonly upstream: { readonly baseUrl: string; readonly visionUrl: string; readonly apiKey: string };
  readonly dynamodb: { readonly endpoint: string };
  /** How tools reach the emulated AWS, with the outputs that the stack of a deployment has. */
  readonly aws: LocalAws;
};

/** The emulated AWS. Only programs of this user can read the access key. */
export type LocalAws = {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly endpoints: Readonly<Record<'dynamodb' | 'sqs', string>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** The lowest level that the functions log. */
  readonly logLevel: string;
  /** The time zone of days and budgets. */
  readonly timeZone: string;
};

/** Written last, when all servers are ready, so that waiting programs can start. */
export function writeLocalJson(directory: string, content: LocalJson): void {
  writePrivateJson(join(directory, 'local.json'), content);
}

/** Removed while the system does not run. */
export function removeLocalJson(directory: string): void {
  rmSync(join(directory, 'local.json'), { force: true });
}

/** Builds the content of `local.json`. */
export function buildLocalJson(
  api: string,
  page: string | null,
  slack: SlackService,
  discord: DiscordService,
  upstream: UpstreamService,
  emulator: Pick<Emulator, 'dynamodb' | 'environment' | 'resources'>,
  variables: Variables,
): LocalJson {
  const { apiUrl, signingSecret, botToken, botUserId, teamId, simulator } = slack;
  return {
    api,
    page,
    slack: {
      apiUrl: toLoopbackUrl(apiUrl),
      signingSecret,
      botToken,
      botUserId,
      teamId,
      channel: simulator?.channel ?? null,
      users: simulator?.users ?? [],
    },
    discord: describeDiscord(discord),
    upstream: { baseUrl: upstream.baseUrl, visionUrl: upstream.visionUrl, apiKey: upstream.apiKey },
    dynamodb: { endpoint: emulator.dynamodb },
    aws: describeAws(emulator, variables),
  };
}

/** A queue has the name of its output without `Url`, and the suffix of the CDK. */
const QUEUE_OUTPUT = /^(?<name>\w+?)[0-9A-F]{8}\.fifo$/u;

function describeAws(
  { dynamodb, environment, resources }: Pick<Emulator, 'dynamodb' | 'environment' | 'resources'>,
  variables: Variables,
): LocalAws {
  const sqs = environment['AWS_ENDPOINT_URL_SQS'] ?? '';
  const queues = resources.queues.map(
    ({ name }) =>
      [
        `${QUEUE_OUTPUT.exec(name)?.groups?.['name'] ?? name}Url`,
        getQueueUrl(name, { api: '', aws: sqs }),
      ] as const,
  );
  const tables = resources.tables.map(
    ({ name }) => [`${name.replace(/[0-9A-F]{8}$/u, '')}Table`, name] as const,
  );
  return {
    region: REGION,
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: LOCAL_SECRET,
    endpoints: { dynamodb, sqs },
    outputs: Object.fromEntries([...queues, ...tables]),
    logLevel: getValue(variables, 'LOG_LEVEL') ?? 'info',
    timeZone: getValue(variables, 'TIME_ZONE') ?? 'UTC',
  };
}

function describeDiscord({
  apiUrl,
  gatewayUrl,
  publicKey,
  applicationId,
  botToken,
  simulator,
}: DiscordService) {
  return {
    apiUrl: toLoopbackUrl(apiUrl),
    gatewayUrl: gatewayUrl === null ? null : toLoopbackUrl(gatewayUrl),
    publicKey,
    privateKey: simulator?.keys.privateKey ?? null,
    applicationId,
    botToken,
    guildId: simulator?.core.guild ?? null,
    channelId: simulator?.core.channel ?? null,
    users: simulator?.core.identity.users.map(({ id, username }) => ({ id, name: username })) ?? [],
  };
}

/** A server on all interfaces is reachable on this machine by loopback. */
export function toLoopbackUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
