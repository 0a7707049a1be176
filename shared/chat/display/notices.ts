import type { TurnOutcome } from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';

/** What the bot itself says at the end of an answer, so that it is not mistaken for the model's words. */
export const italicNotice = (words: string): string => `_${words}_`;

/** To a person who pressed Stop. `exact` is false where part of the count is an estimate. */
export function stoppedNotice(count: number, exact: boolean, locale: Locale): string {
  if (count === 0) return italicNotice(localize(locale, 'answers.stopped.none'));
  return italicNotice(localize(locale, `answers.stopped.${exact ? 'exact' : 'about'}`, { count }));
}

/** An answer without what the bot itself said at its end, to the last line break of the model's. */
export function withoutNotice({ text, closing = 0 }: Extract<TurnOutcome, { kind: 'answered' }>): string {
  return text.slice(0, text.length - closing);
}
