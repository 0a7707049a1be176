import type { CommandsContext } from '../context.ts';
import type { Interaction } from '../../domain/index.ts';
import { isTimeZone } from '../../schedules/rules/index.ts';

/** Returns the time zone of the reader if the platform knows it and it is one that this system knows, otherwise that of the workspace; UTC if neither is known. */
export async function getReaderZone(
  { interaction }: { readonly interaction: Interaction },
  { userProfile, settings }: Pick<CommandsContext, 'userProfile' | 'settings'>,
): Promise<string> {
  const known = await userProfile(interaction, interaction.by.user);
  return known.zone !== undefined && isTimeZone(known.zone) ? known.zone : (settings.zone ?? 'UTC');
}
