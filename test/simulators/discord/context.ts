import { CHANNEL } from './flags.ts';
import type { Identity } from './identity.ts';
import type { Json } from './json.ts';
import { RefusalError } from './refusal.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { Change, Channel, Guild, Message, State, User } from './state.ts';

/** What the routes work on: what Discord holds, its time, and who hears of changes. */
export type SimulatorContext = {
  readonly identity: Identity;
  readonly now: () => number;
  readonly state: State;
  readonly ids: Snowflakes;
  /** Where files are fetched, without a slash at the end. */
  readonly cdnUrl: () => string;
  /** Signs the addresses of files. */
  readonly cdnKey: string;
  /** Where the gateway is, and how many sessions may still be begun; the gateway counts them down. */
  readonly gateway: {
    url: string;
    total: number;
    remaining: number;
    resetAt: number;
    /** How many shards are recommended, and how many of them may begin at once. */
    shards: number;
    maxConcurrency: number;
  };
  /** What the developer portal shows of the application: its key, and the address that was entered for interactions. */
  readonly portal: { publicKey: string; interactionsUrl: string | null };
  readonly onChange: Set<(change: Change) => void>;
  readonly onDispatch: Set<(dispatch: Dispatch) => void>;
};

/** One event as the gateway sends it, and what the gateway needs to know to decide who gets it. */
export type Dispatch = {
  /** `MESSAGE_CREATE` and so on. */
  readonly t: string;
  readonly d: Json;
  /** Absent in DMs. */
  readonly guildId?: string;
  /** Whether its content may be read without the intent MESSAGE_CONTENT; see `withoutContent`. */
  readonly open: boolean;
};

export function userOf(context: SimulatorContext, id: string): User {
  const found = context.state.users.get(id);
  if (!found) throw new RefusalError(10013);
  return found;
}

/** A message that is there for all to see; 10008 otherwise. */
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

/** The largest file that may be sent here, in bytes. */
export function fileLimit(guild: Guild | undefined): number {
  return (TIERS[guild?.tier ?? 0] ?? 10) * 1_048_576;
}

const TIERS = [10, 10, 50, 100];

/**
 * Whether the bot may read what a message holds without the intent MESSAGE_CONTENT: its own, in a DM, one that mentions
 * it, or one that replies to it with a ping.
 */
export function isOpen(context: SimulatorContext, message: Message): boolean {
  const { applicationId } = context.identity;
  if (message.author === applicationId || message.webhook === applicationId) return true;
  if (context.state.channels.get(message.channel)?.type === CHANNEL.dm) return true;
  return message.mentions.includes(applicationId);
}
