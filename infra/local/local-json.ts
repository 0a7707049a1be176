import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateJson } from './private-file.ts';
import type { DiscordSide } from './services/discord.ts';
import type { SlackSide, UpstreamSide } from './services/services.ts';

/** Addresses and credentials of a running local system: the layout of `local.json`, a contract. */
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
    /** Null where there is none: no messages come then, only interactions. */
    readonly gatewayUrl: string | null;
    /** 32 bytes in hex, as Discord shows them. */
    readonly publicKey: string;
    /** The seed of the key, 32 bytes in hex; null when Discord is real. */
    readonly privateKey: string | null;
    readonly applicationId: string;
    readonly botToken: string | null;
    /** A guild with the bot in it, and its first channel; null when Discord is real. */
    readonly guildId: string | null;
    readonly channelId: string | null;
    readonly users: readonly { readonly id: string; readonly name: string }[];
  };
  readonly upstream: { readonly baseUrl: string; readonly visionUrl: string; readonly apiKey: string };
  readonly dynamodb: { readonly endpoint: string };
};

/** Written last, when everything answers: whoever waits for the file can begin. */
export function writeLocalJson(directory: string, content: LocalJson): void {
  writePrivateJson(join(directory, 'local.json'), content);
}

/** A system that does not run has no addresses. */
export function removeLocalJson(directory: string): void {
  rmSync(join(directory, 'local.json'), { force: true });
}

/** What a running system is reached by. */
export function describe(
  api: string,
  page: string | null,
  slack: SlackSide,
  discord: DiscordSide,
  upstream: UpstreamSide,
  dynamodb: string,
): LocalJson {
  const { apiUrl, signingSecret, botToken, botUserId, teamId, simulator } = slack;
  return {
    api,
    page,
    slack: {
      apiUrl: reachable(apiUrl),
      signingSecret,
      botToken,
      botUserId,
      teamId,
      channel: simulator?.channel ?? null,
      users: simulator?.users ?? [],
    },
    discord: discordOf(discord),
    upstream: { baseUrl: upstream.baseUrl, visionUrl: upstream.visionUrl, apiKey: upstream.apiKey },
    dynamodb: { endpoint: dynamodb },
  };
}

function discordOf({ apiUrl, gatewayUrl, publicKey, applicationId, botToken, simulator }: DiscordSide) {
  return {
    apiUrl: reachable(apiUrl),
    gatewayUrl: gatewayUrl === null ? null : reachable(gatewayUrl),
    publicKey,
    privateKey: simulator?.keys.privateKey ?? null,
    applicationId,
    botToken,
    guildId: simulator?.core.guild ?? null,
    channelId: simulator?.core.channel ?? null,
    users: simulator?.core.identity.users.map(({ id, username }) => ({ id, name: username })) ?? [],
  };
}

/** A server that listens on every address is reached on this machine by loopback. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
