import { getValue, type Variables } from '../../configuration/index.ts';

/** The services, real or simulated. */
export type Services = {
  readonly slack: {
    readonly apiUrl: string;
    readonly ownAddress: boolean;
    readonly botUserId: string;
    /** Present if simulated. */
    readonly simulator?: { readonly fileHosts: readonly string[] };
  };
  readonly discord: {
    readonly apiUrl: string;
    readonly gatewayUrl: string | null;
    readonly publicKey: string;
    readonly applicationId: string;
    /** Present if simulated. */
    readonly simulator?: unknown;
  };
  readonly upstream: {
    readonly baseUrl: string;
    readonly visionUrl: string;
    readonly model: string;
    /** Present if simulated. */
    readonly simulator?: unknown;
    /** The web search. Present if simulated. */
    readonly search?: { readonly url: string } | undefined;
  };
  /** Present if simulated. */
  readonly toolServers: { readonly origin: string } | undefined;
};

/** The models of the simulated vision service, so that videos and pictures work without configuration. */
const SIMULATED_MEDIA = [
  'model-a-video:image_url:0.35',
  'text-to-image=model-a-image::0.04',
  'edit=model-a-edit:image_url:0.05',
  'text-to-video=model-a-film::0.5',
  'models=/v2/inference/models',
  'requests=/v2/inference/requests',
].join(', ');

/**
 * Returns the template's parameter values. URLs of Slack, Discord and the models come from `services`; any other parameter
 * comes from a variable in capitals: `HistoryDays` from HISTORY_DAYS.
 */
export function getLocalParameters(
  names: readonly string[],
  services: Services,
  variables: Variables,
): Record<string, string> {
  const { slack, discord, upstream, toolServers } = services;
  const { search } = upstream;
  const known: Readonly<Record<string, string | undefined>> = {
    SlackApiUrl: slack.apiUrl,
    SlackBotUserId: slack.botUserId,
    SlackFilesHosts: getValue(variables, 'SLACK_FILES_HOSTS') ?? getFilesHosts(slack),
    DiscordApiUrl: discord.apiUrl,
    DiscordGatewayUrl: discord.gatewayUrl ?? undefined,
    // The simulated Discord grants the Message Content intent.
    DiscordMessages: getValue(variables, 'DISCORD_MESSAGES') ?? (discord.simulator ? 'all' : undefined),
    DiscordPublicKey: discord.publicKey,
    DiscordApplicationId: discord.applicationId,
    DiscordCdnHosts: getValue(variables, 'DISCORD_CDN_HOSTS') ?? getCdnHosts(discord.apiUrl),
    UpstreamBaseUrl: upstream.baseUrl,
    UpstreamVisionUrl: upstream.visionUrl,
    UpstreamModel: upstream.model,
    VideoModels: getValue(variables, 'VIDEO_MODELS') ?? (upstream.simulator ? SIMULATED_MEDIA : undefined),
    Search: getValue(variables, 'SEARCH') ?? (search && `brave ${search.url} $0.005 600/20`),
    ToolServerOrigins: [getValue(variables, 'TOOL_SERVER_ORIGINS'), toolServers?.origin]
      .filter(Boolean)
      .join(','),
    Accounts: getValue(variables, 'ACCOUNTS') ?? (upstream.simulator ? 'on' : undefined),
  };
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = name in known ? known[name] : getValue(variables, toVariableName(name));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** A Slack with another API URL serves its own files, unless configured otherwise. */
function getFilesHosts({ apiUrl, ownAddress, simulator }: Services['slack']): string | undefined {
  return simulator?.fileHosts.join(',') ?? (ownAddress ? new URL(apiUrl).host : undefined);
}

/** Discord's hosts, and the API's host, where a test server or a simulator serves its files. */
function getCdnHosts(apiUrl: string): string {
  const own = new URL(apiUrl).host;
  return [...DISCORD_CDN, ...(own === 'discord.com' ? [] : [own])].join(',');
}

const DISCORD_CDN = ['cdn.discordapp.com', 'media.discordapp.net'];

function toVariableName(parameter: string): string {
  return parameter.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}
