import type { Discord } from './discord.ts';
import type { GatewayEvent } from './gateway-intents.ts';

/** What the gateway tells of, and who may hear it. */
export type GatewaySource = {
  readonly botToken: string;
  readonly applicationId: string;
  /** The bot, as READY shows it. */
  readonly user: () => unknown;
  /** Whether MESSAGE_CONTENT is switched on for the app. */
  readonly messageContent: () => boolean;
  /** The guilds the bot is in, each as its GUILD_CREATE. */
  readonly guilds: () => readonly GatewayEvent[];
  /** How many sessions may still be begun today; the gateway counts them down. */
  readonly budget: {
    readonly total: number;
    remaining: number;
    /** How many shards Discord recommends, and how many of them may begin at once: 1 and 1 unless told. */
    shards?: number;
    maxConcurrency?: number;
  };
  readonly onDispatch: Set<(event: GatewayEvent) => void>;
};

/** What happens in the simulated Discord. */
export const sourceOf = (discord: Discord): GatewaySource => {
  const { identity, context } = discord;
  return {
    botToken: identity.botToken,
    applicationId: identity.applicationId,
    user: () => discord.ready().user,
    messageContent: () => identity.messageContent,
    guilds: () => discord.ready().guilds,
    budget: context.gateway,
    onDispatch: context.onDispatch,
  };
};
