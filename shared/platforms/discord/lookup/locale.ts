import type { Platform } from '../../ports/index.ts';
import type { DiscordDeps } from '../deps.ts';
import { isDirect } from '../inbound/conversation-key.ts';

/**
 * Finds the locale of a person. An interaction contains it, and it is stored; a message does not. For the author of a message it is the
 * locale of the guild, in a direct channel that of their last interaction.
 */
export function languageFinder({ ticketFor, guild, readers }: DiscordDeps): Platform['getLocale'] {
  return async (turn, user) => {
    const to = user === turn.asker ? undefined : user;
    const locale = (await quietly(ticketFor(turn, to)))?.locale;
    if (locale !== undefined) {
      await quietly(readers?.save(user, locale));
      return locale;
    }
    if (isDirect(turn.thread)) return quietly(readers?.find(user));
    return (await guild(turn.thread.workspace)).locale;
  };
}

const quietly = async <T>(asked: Promise<T> | undefined): Promise<T | undefined> =>
  asked?.catch(() => undefined);
