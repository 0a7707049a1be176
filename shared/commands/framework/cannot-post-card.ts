import { type Card, NO_GUILD } from '../../domain/index.ts';
import { localize, formatFlag, getCommandFormat, privatelyLabel } from '../../i18n/index.ts';
import { type InteractionRequest, textCard } from './types.ts';

/** Says that the bot may not post in the channel, and suggests alternatives. */
export function createCannotPostCard({ interaction, locale }: InteractionRequest): Card {
  const where = getCommandFormat(interaction);
  const privateOption = formatFlag(privatelyLabel, where);
  return textCard(localize(locale, 'commands.ask.no-room', { private: privateOption }), 'bad');
}

/** Says that the bot does nothing on its own where it is not a member of the server; undefined where it is. */
export function findAbsence({
  interaction: { botAbsent, workspace },
  locale,
}: InteractionRequest): Card | undefined {
  const isMember = botAbsent !== true && String(workspace) !== NO_GUILD;
  return isMember ? undefined : textCard(localize(locale, 'commands.only-as-member'), 'bad');
}
