import type { InteractionToken, TurnRef, UserId } from '../../domain/index.ts';
import type { Log, Time } from '../../runtime/index.ts';
import type { DiscordCall } from './api/call.ts';
import type { GuildFinder } from './lookup/guild.ts';

export type { Log, Time } from '../../runtime/index.ts';

export type DiscordDeps = {
  readonly call: DiscordCall;
  readonly time: Time;
  readonly applicationId: string;
  /** Finds the interaction token to answer a turn with or, with `to`, to send that person an ephemeral message. */
  readonly findInteractionToken: (
    turn: Pick<TurnRef, 'thread' | 'message'>,
    to?: UserId,
  ) => Promise<InteractionToken | undefined>;
  readonly guild: GuildFinder;
  /** The stored locales of people. Each method may reject. */
  readonly userLocales?: {
    save(user: UserId, locale: string): Promise<void>;
    find(user: UserId): Promise<string | undefined>;
  };
  /** A longer answer than this many messages is sent as a file. Default 5. */
  readonly maxMessages?: number;
  /** The hosts from which files are downloaded. Default: Discord's own. See `listCdnOrigins`. */
  readonly cdnOrigins?: readonly string[];
  /** The timeout of a download, in ms. Default: depends on the size. */
  readonly downloadTimeoutMs?: number;
  readonly log?: Log;
};

/** Finds the channel in which a turn is answered: usually a thread, which is created if it does not exist yet. */
export type FindAnswerChannel = (turn: TurnRef) => Promise<string>;
