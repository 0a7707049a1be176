import { isDirectMessage, PLATFORM_TRAITS, type Thread } from '../domain/index.ts';
import type { FactsContext } from './context.ts';

/** Where something is learned. Commands outside of a thread have no `root`. */
export type FactPlace = Omit<Thread, 'root'> & { readonly root?: Thread['root'] | undefined };

/**
 * Returns whether what is said there is private: in a direct message, a private answer, and in each channel that is not known to be open to
 * everybody in the workspace. Never rejects.
 */
export async function isPrivatePlace(
  place: FactPlace,
  { isPublicChannel }: Pick<FactsContext, 'isPublicChannel'>,
): Promise<boolean> {
  const { root } = place;
  if (root !== undefined && isDirectMessage({ ...place, root })) return true;
  return !(await isPublicChannel(place));
}

/**
 * Returns whether something can be remembered there. In Discord, direct messages belong to no server and share nothing with it: what was
 * learned in private could be used nowhere.
 */
export const mayRemember = ({ platform }: Pick<Thread, 'platform'>, isPrivate: boolean): boolean =>
  !isPrivate || PLATFORM_TRAITS[platform].hasDirectMessagesInWorkspace;
