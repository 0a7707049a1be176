import type { Card } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import * as names from '../../i18n/labels/option-labels.ts';
import { type AnyPayload, textCard } from './types.ts';
import { formatOption, getCommandFormat } from '../../i18n/labels/format-usage.ts';

/** Says that the bot may not write in the channel of a call, and what helps. */
export function memoryLimitReply({ invocation, locale }: AnyPayload): Card {
  const where = getCommandFormat(invocation);
  const alone = formatOption(names.privately, where.platform === 'slack' ? 'yes' : 'True', where);
  return textCard(localize(locale, 'commands.ask.no-room', { private: alone }), 'bad');
}
