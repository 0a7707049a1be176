import { CHANNEL } from './flags.ts';
import type { Identity } from './identity.ts';
import type { Json } from './json.ts';
import { RefusalError } from './refusal.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { Change, Channel, Guild, Message, State, User } from './state.ts';

/** The context of the routes: Discord's state, its clock, and the listeners for changes. */
export type SimulatorContext = {
  readonly identity: Identity;
  readonly now: () => number;
  readonly state: State;
  readonly ids: Snowflakes;
  /** See `DiscordOptions`. */
  readonly ignoresUnknownFields: boolean;
  /** The origin of file URLs, without a trailing slash. */
  readonly cdnUrl: () => string;
  /** Signs file URLs. */
  readonly cdnKey: string;
  /** The URL of the gateway, and the remaining session starts; the gateway decreases them. */
  readonly gateway: {
    url: string;
    total: number;
    remaining: number;
    resetAt: number;
    /** The recommended number of shards, and max_concurrency. */
    shards: number;
    maxConcurrency: number;
  };
  /** The application in the developer portal. */
  readonly portal: {
    publicKey: string;
    interactionsUrl: string | null;
    /** Whether MESSAGE_CONTENT is enabled. */
    messageContent: boolean;
    /** Changes the URL, if the app responds there as Discord requires. Resolves with whether it does. */
    changeInteractionsUrl: (url: string | null) => Promise<boolean>;
    /** Where webhook events are posted, and which. */
    webhookEvents: WebhookEvents;
    /** Whether the app responds at a URL for webhook events as Discord requires. */
    verifyEventsUrl: (url: string) => Promise<boolean>;
  };
  readonly onChange: Set<(change: Change) => void>;
  readonly onDispatch: Set<(dispatch: Dispatch) => void>;
};

/** The settings of webhook events. */
export type WebhookEvents = {
  readonly url: string | null;
  readonly isOn: boolean;
  readonly types: readonly string[];
};

/** The settings of a new application. */
export const NO_WEBHOOK_EVENTS: WebhookEvents = { url: null, isOn: false, types: [] };

/** One gateway event, with what decides who receives it. */
export type Dispatch = {
  /** `MESSAGE_CREATE` and so on. */
  readonly t: string;
  readonly d: Json;
  /** Absent in DMs. */
  readonly guildId?: string;
  /** Whether its content may be sent without the intent MESSAGE_CONTENT; see `withoutIntent`. */
  readonly open: boolean;
  /** The same of the message that it replies to. False by default. */
  readonly openReply?: boolean;
};

export function userOf(context: SimulatorContext, id: string): User {
  const user = context.state.users.get(id);
  if (!user) throw new RefusalError(10013);
  return user;
}

/** A public message; 10008 otherwise. */
export function messageOf(context: SimulatorContext, channel: Channel, id: string): Message {
  const message = context.state.messages.get(channel.id)?.get(id);
  if (!message || message.ephemeralTo !== undefined) throw new RefusalError(10008);
  return message;
}

export const isThread = ({ type }: Channel): boolean => THREADS.has(type);

const THREADS: ReadonlySet<number> = new Set([
  CHANNEL.newsThread,
  CHANNEL.publicThread,
  CHANNEL.privateThread,
]);

/** Whether a thread is archived, by hand or by its age. */
export function isArchived(
  context: SimulatorContext,
  { archived, autoArchive = 1_440, active = 0 }: Channel,
): boolean {
  return archived === true || context.now() - active >= autoArchive * 60_000;
}

/** The maximum file size here, in bytes. */
export function fileLimit(guild: Guild | undefined): number {
  return (TIERS[guild?.tier ?? 0] ?? 10) * 1_048_576;
}

const TIERS = [10, 10, 50, 100];

/** In a guild without the bot, and in their own chats, people use it as a user-installed app. */
export const isUserInstall = ({ state }: SimulatorContext, { guild, recipients }: Channel): boolean =>
  recipients !== undefined || (guild !== undefined && state.guilds.get(guild)?.installed !== true);

/** Contexts of interactions. */
export const CONTEXT = { guild: 0, botDm: 1, privateChannel: 2 } as const;

/** In which context an interaction there is. */
export function contextOf({ guild, recipients }: Channel): number {
  if (guild !== undefined) return CONTEXT.guild;
  return recipients ? CONTEXT.privateChannel : CONTEXT.botDm;
}
