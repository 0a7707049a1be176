import type { Platform } from '../platform.ts';
import type { DiscordDeps } from './deps.ts';

/**
 * What somebody reads: of whoever called something the ticket tells it; of whoever wrote a message nobody does, and it is
 * what their guild says of itself.
 */
export function languageFinder({ ticketFor, guild }: DiscordDeps): Platform['language'] {
  return async (turn, user) => {
    const to = user === turn.asker ? undefined : user;
    const ticket = await ticketFor(turn, to).catch(() => undefined);
    return ticket?.locale ?? (await guild(turn.thread.workspace)).locale;
  };
}
