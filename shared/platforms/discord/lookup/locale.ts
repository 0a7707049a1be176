import type { Interaction } from '../../../domain/index.ts';
import type { Platform } from '../../ports/index.ts';
import type { DiscordDeps } from '../deps.ts';
import { isDirect } from '../inbound/conversation-key.ts';

/**
 * Finds the locale of a person. An interaction contains it, and it is stored; a message does not. For the author of a message it is the
 * locale of the guild, in a direct channel that of their last interaction.
 */
export function createLocaleFinder({
  findInteractionToken,
  guild,
  userLocales,
}: DiscordDeps): Platform['getLocale'] {
  return async (turn, user) => {
    const recipient = user === turn.asker ? undefined : user;
    const locale = (await undefinedOnFailure(findInteractionToken(turn, recipient)))?.locale;
    if (locale !== undefined) {
      await undefinedOnFailure(userLocales?.save(user, locale));
      return locale;
    }
    if (isDirect(turn.thread)) return undefinedOnFailure(userLocales?.find(user));
    return (await guild(turn.thread.workspace)).locale;
  };
}

/** Stores the locale of a command: in a direct chat the person reads answers to their messages in it. Never rejects. */
export async function saveLocale(
  { userLocales }: Pick<DiscordDeps, 'userLocales'>,
  { by, payload }: Interaction,
): Promise<void> {
  // Not of buttons: an erasure is confirmed with one, and ends after what is stored here was erased.
  if (payload.kind !== 'command' || by.locale === undefined) return;
  await undefinedOnFailure(userLocales?.save(by.user, by.locale));
}

const undefinedOnFailure = async <T>(promise: Promise<T> | undefined): Promise<T | undefined> =>
  promise?.catch(() => undefined);
