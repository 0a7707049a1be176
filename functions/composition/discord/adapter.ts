import {
  type Log,
  type PlatformsConfig,
  type Metrics,
  systemTime,
  type Time,
} from '../../../shared/runtime/index.ts';
import {
  listCdnOrigins,
  createChannelAccessFinder,
  createDiscordDirectory,
  createDiscordPlatform,
  createDiscordMessenger,
  createRestCall,
  createGuildReader,
  createMemberRolesFinder,
  unknownOnFailure,
  createPublicChannelFinder,
} from '../../../shared/platforms/discord/index.ts';
import {
  type AwsCall,
  discordBotSchema,
  RELOADED_IF_REJECTED_TTL_MS,
  createSecretReader,
} from '../../../shared/aws/index.ts';
import { type Dynamo, UserLocales, InteractionTokens } from '../../../shared/storage/index.ts';
import type { PlatformAdapter } from '../platform-adapter.ts';

type Config = PlatformsConfig;
type InfraClients = {
  readonly aws: AwsCall;
  readonly dynamo: Dynamo;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Default: the system clock. */
  readonly time?: Time | undefined;
  /** Default: Discord's API over the network. */
  readonly restCall?: typeof createRestCall | undefined;
};

/** The adapter of Discord: one application in all guilds and direct chats. Without Discord it makes no requests. */
export function createDiscordAdapter(
  config: Config,
  { aws, dynamo, log, metrics, time = systemTime, restCall = createRestCall }: InfraClients,
): PlatformAdapter {
  const { now } = time;
  const { discordApiUrl: apiUrl, discordApplicationId: applicationId, conversationsTable: table } = config;
  const bot = createSecretReader(config.discordBotSecretId, discordBotSchema, {
    aws,
    now,
    ttlMs: RELOADED_IF_REJECTED_TTL_MS,
  });
  const call = restCall({
    apiUrl,
    applicationId,
    token: async (options) => (await (options?.refresh ? bot.refresh() : bot.load())).botToken,
    onLimited: () => metrics?.('discord.limited', { RateLimited: 1 }, { source: 'discord' }),
    now,
    random: Math.random,
  });
  const readGuild = createGuildReader({ call, time });
  const guild = unknownOnFailure(readGuild);
  const findRoles = createMemberRolesFinder({ call, guild: readGuild, time });
  const tokens = new InteractionTokens({ dynamo, table, now });
  const context = {
    call,
    guild,
    time,
    applicationId,
    findInteractionToken: (...args: Parameters<InteractionTokens['find']>) => tokens.find(...args),
    userLocales: new UserLocales({ dynamo, table, now }),
    maxMessages: config.discordMaxMessages,
    cdnOrigins: listCdnOrigins(apiUrl, config.discordCdnHosts),
    log,
  };
  return {
    platform: createDiscordPlatform(context),
    messenger: createDiscordMessenger(context),
    directory: createDiscordDirectory({ call, time }),
    isPublicChannel: createPublicChannelFinder({ call, guild, time }),
    channelAccess: createChannelAccessFinder({ call, guild: readGuild, memberRoles: findRoles }),
    memberRoles: ({ workspace }, user) => findRoles(workspace, user),
    userProfile: async ({ workspace }) => ({ locale: (await guild(workspace)).locale }),
  };
}
