import type { Platform } from '../../ports/platform.ts';
import type { DiscordDeps } from '../deps.ts';
import { isDirect } from './conversation-key.ts';

/**
 * What somebody reads. Of whoever called something the ticket tells it, and it is kept: of whoever wrote a message nobody tells.
 * There it is what their guild says of itself, in a chat with the bot alone what their last call said.
 */
export function languageFinder({ ticketFor, guild, readers }: DiscordDeps): Platform['getLocale'] {
  return async (turn, user) => {
    const to = user === turn.asker ? undefined : user;
    const locale = (await quietly(ticketFor(turn, to)))?.locale;
    if (locale !== undefined) {
      await quietly(readers?.keep(user, locale));
      return locale;
    }
    if (isDirect(turn.thread)) return quietly(readers?.find(user));
    return (await guild(turn.thread.workspace)).locale;
  };
}

const quietly = async <T>(asked: Promise<T> | undefined): Promise<T | undefined> =>
  asked?.catch(() => undefined);
