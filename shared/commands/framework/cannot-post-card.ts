import { type Card, NO_GUILD } from '../../domain/index.ts';
import { localize, formatFlag, getCommandFormat, privatelyLabel } from '../../i18n/index.ts';
import { explainBlockedWords } from '../../ports/index.ts';
import { type InteractionRequest, textCard } from './types.ts';

/**
 * Says why a message could not be posted, by the error with which the messenger rejected: a filter blocks its words, or the bot may not post in the channel.
 * Suggests alternatives.
 */
export function createCannotPostCard({ interaction, locale }: InteractionRequest, error: unknown): Card {
  const where = getCommandFormat(interaction);
  const privateOption = formatFlag(privatelyLabel, where);
  return (
    explainBlockedWords(error, locale) ??
    textCard(localize(locale, 'commands.ask.no-room', { private: privateOption }), 'bad')
  );
}

/** Says that the bot does nothing on its own where it is not a member of the server; undefined where it is. */
export function findAbsence({
  interaction: { botAbsent, workspace },
  locale,
}: InteractionRequest): Card | undefined {
  const isMember = botAbsent !== true && String(workspace) !== NO_GUILD;
  return isMember ? undefined : textCard(localize(locale, 'commands.only-as-member'), 'bad');
}
