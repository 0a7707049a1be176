import type { TurnOutcome } from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';

/** Formats a sentence of the bot's own at the end of an answer, so that it is not mistaken for the model's words. */
export const formatNotice = (words: string): string => `_${words}_`;

/** The notice after Stop was pressed. `exact` is false if part of the count is an estimate. */
export function formatStoppedNotice(count: number, isExact: boolean, locale: Locale): string {
  if (count === 0) return formatNotice(localize(locale, 'answers.stopped.none'));
  return formatNotice(localize(locale, `answers.stopped.${isExact ? 'exact' : 'about'}`, { count }));
}

/** The text of an answer without the bot's own sentence at its end. */
export function removeNotice({ text, closing = 0 }: Extract<TurnOutcome, { kind: 'answered' }>): string {
  return text.slice(0, text.length - closing);
}
