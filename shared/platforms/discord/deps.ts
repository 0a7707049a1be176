import type { InteractionToken, TurnRef, UserId } from '../../domain/index.ts';
import type { Log, Time } from '../index.ts';
import type { DiscordCall } from './api/call.ts';
import type { GuildFinder } from './lookup/guild.ts';

export type { Log, Time } from '../index.ts';

export type DiscordDeps = {
  readonly call: DiscordCall;
  readonly time: Time;
  readonly applicationId: string;
  /** The ticket to answer a turn with or, given `to`, to tell that person something. */
  readonly ticketFor: (
    turn: Pick<TurnRef, 'thread' | 'message'>,
    to?: UserId,
  ) => Promise<InteractionToken | undefined>;
  readonly guild: GuildFinder;
  /** Where it is kept what people read. Each may reject. */
  readonly readers?: {
    save(user: UserId, locale: string): Promise<void>;
    find(user: UserId): Promise<string | undefined>;
  };
  /** A longer answer than this many messages is sent as a file. Default 5. */
  readonly mostMessages?: number;
  /** How long `finish` goes on trying, in ms. Default 60,000. */
  readonly finishWithinMs?: number;
  /** Where files may come from. Default: those of Discord's own. See `cdnOrigins`. */
  readonly cdnOrigins?: readonly string[];
  /** How long fetching a file may take, in ms. Default: by its size. */
  readonly fetchWithinMs?: number;
  readonly log?: Log;
};

/** Finds the channel in which a turn is answered: usually a thread, which is created if there is none yet. */
export type AnswerChannel = (turn: TurnRef) => Promise<string>;
