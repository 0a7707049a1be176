import type { Discord } from './discord.ts';
import type { GatewayEvent } from './gateway-intents.ts';

/** The events of the gateway, and their receivers. */
export type GatewaySource = {
  readonly botToken: string;
  readonly applicationId: string;
  /** The bot, as in READY. */
  readonly user: () => unknown;
  /** Whether MESSAGE_CONTENT is enabled for the app. */
  readonly messageContent: () => boolean;
  /** The guilds of the bot, each as its GUILD_CREATE. */
  readonly guilds: () => readonly GatewayEvent[];
  /** The remaining session starts of today; the gateway decreases them. */
  readonly budget: {
    readonly total: number;
    remaining: number;
    /** The recommended number of shards, and max_concurrency: 1 and 1 by default. */
    shards?: number;
    maxConcurrency?: number;
  };
  readonly onDispatch: Set<(event: GatewayEvent) => void>;
};

/** The events of the simulated Discord. */
export const sourceOf = (discord: Discord): GatewaySource => {
  const { identity, context } = discord;
  return {
    botToken: identity.botToken,
    applicationId: identity.applicationId,
    user: () => discord.ready().user,
    messageContent: () => context.portal.messageContent,
    guilds: () => discord.ready().guilds,
    budget: context.gateway,
    onDispatch: context.onDispatch,
  };
};
