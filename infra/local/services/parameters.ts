import type { Variables } from '../../configuration/index.ts';

/** Where the services behind the system are, real or simulated. */
export type Services = {
  readonly slack: {
    readonly apiUrl: string;
    readonly ownAddress: boolean;
    readonly botUserId: string;
    /** There if it is simulated. */
    readonly simulator?: { readonly fileHosts: readonly string[] };
  };
  readonly discord: {
    readonly apiUrl: string;
    readonly gatewayUrl: string | null;
    readonly publicKey: string;
    readonly applicationId: string;
    /** There if it is simulated. */
    readonly simulator?: unknown;
  };
  readonly upstream: {
    readonly baseUrl: string;
    readonly visionUrl: string;
    readonly model: string;
    /** There if it is simulated. */
    readonly simulator?: unknown;
  };
};

/** What the simulated models make videos with, so that there is something to see without any configuration. */
const SIMULATED_VIDEO = 'model-a-video:image_url:0.35';

/**
 * Values for the parameters of the template. Those that say where Slack, Discord and the models are come from `services`;
 * any other may be given as a variable of the same name in capitals: `HistoryDays` as HISTORY_DAYS.
 */
export function localParameters(
  names: readonly string[],
  services: Services,
  variables: Variables,
): Record<string, string> {
  const { slack, discord, upstream } = services;
  const known: Readonly<Record<string, string | undefined>> = {
    SlackApiUrl: slack.apiUrl,
    SlackBotUserId: slack.botUserId,
    SlackFilesHosts: given(variables, 'SLACK_FILES_HOSTS') ?? filesHosts(slack),
    DiscordApiUrl: discord.apiUrl,
    DiscordGatewayUrl: discord.gatewayUrl ?? undefined,
    // The simulated Discord lets the bot read everything.
    DiscordMessages: given(variables, 'DISCORD_MESSAGES') ?? (discord.simulator ? 'all' : undefined),
    DiscordPublicKey: discord.publicKey,
    DiscordApplicationId: discord.applicationId,
    DiscordCdnHosts: given(variables, 'DISCORD_CDN_HOSTS') ?? cdnHosts(discord.apiUrl),
    UpstreamBaseUrl: upstream.baseUrl,
    UpstreamVisionUrl: upstream.visionUrl,
    UpstreamModel: upstream.model,
    VideoModels: given(variables, 'VIDEO_MODELS') ?? (upstream.simulator ? SIMULATED_VIDEO : undefined),
    Accounts: given(variables, 'ACCOUNTS') ?? (upstream.simulator ? 'on' : undefined),
  };
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = name in known ? known[name] : given(variables, variableOf(name));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Another Slack serves its files itself, unless told otherwise. */
function filesHosts({ apiUrl, ownAddress, simulator }: Services['slack']): string | undefined {
  return simulator?.fileHosts.join(',') ?? (ownAddress ? new URL(apiUrl).host : undefined);
}

/** Discord's own, and the origin of the API, where a test server or a simulator serves its files. */
function cdnHosts(apiUrl: string): string {
  const own = new URL(apiUrl).host;
  return [...DISCORD_CDN, ...(own === 'discord.com' ? [] : [own])].join(',');
}

const DISCORD_CDN = ['cdn.discordapp.com', 'media.discordapp.net'];

function given(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === '' ? undefined : value;
}

function variableOf(parameter: string): string {
  return parameter.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}
