import type { Card } from '../../domain/index.ts';
import { localize, formatFlag, getCommandFormat, privatelyLabel } from '../../i18n/index.ts';
import { type InteractionRequest, textCard } from './types.ts';

/** Says that the bot may not post in the channel, and suggests alternatives. */
export function createCannotPostCard({ interaction, locale }: InteractionRequest): Card {
  const where = getCommandFormat(interaction);
  const privateOption = formatFlag(privatelyLabel, where);
  return textCard(localize(locale, 'commands.ask.no-room', { private: privateOption }), 'bad');
}
