import type { Card } from '../../domain/index.ts';
import { localize, formatOption, getCommandFormat, privatelyLabel } from '../../i18n/index.ts';
import { type AnyPayload, textCard } from './types.ts';

/** Says that the bot may not write in the channel of a call, and what helps. */
export function memoryLimitReply({ invocation, locale }: AnyPayload): Card {
  const where = getCommandFormat(invocation);
  const alone = formatOption(privatelyLabel, where.platform === 'slack' ? 'yes' : 'True', where);
  return textCard(localize(locale, 'commands.ask.no-room', { private: alone }), 'bad');
}
