import type { CommandsContext } from '../context.ts';
import type { Interaction } from '../../domain/index.ts';

/** Returns the time zone of the reader if the platform knows it, otherwise that of the workspace; UTC if neither is known. */
export async function getReaderZone(
  { interaction }: { readonly interaction: Interaction },
  { userProfile: people, settings }: Pick<CommandsContext, 'userProfile' | 'settings'>,
): Promise<string> {
  const known = await people(interaction, interaction.by.user);
  return known.zone ?? settings.zone ?? 'UTC';
}
