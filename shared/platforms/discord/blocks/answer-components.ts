import type { TurnRef } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { Button, Step, AnswerActions } from '../../ports/platform.ts';
import { sanitize, inWords } from '../../markdown/index.ts';
import { cut } from '../inbound/modal.ts';
import type { Messages } from '../api/messages.ts';
import { buttonCustomId } from '../inbound/answer-buttons.ts';

type Json = Readonly<Record<string, unknown>>;

/** Discord's limit for the text of a message. */
export const DISCORD_LIMIT = 2_000;

const [ROW, BUTTON] = [1, 2];
const STYLE = { plain: 2, danger: 4 } as const;
const PER_ROW = 5;
const MAX_ROWS = 5;
const LABEL = 80;
const MAX_STEPS = 6;
const MAX_STEP_LENGTH = 120;
/** Reasoning that is shown in full hides behind a click. */
const MAX_SPOILER_LENGTH = 600;
const MAX_QUOTE_LENGTH = 200;
/** Words need room beside it. */
const MAX_HEAD_LENGTH = 1_100;

const MARKS = /[\\`*~|]|(?<!\w)_|_(?!\w)/gu;

/** A question as it is shown above its answer: one line, as it was typed. Empty for none. */
export function quoteOf(question = ''): string {
  const words = sanitize(question).replaceAll(/\s+/gu, ' ').trim();
  return words === '' ? '' : `> ${cut(words, MAX_QUOTE_LENGTH).replaceAll(MARKS, String.raw`\$&`)}\n`;
}

/**
 * What stands above the words: a question, the steps in small print, and longer details as a spoiler below them, unless they come as a
 * file.
 */
export function headOf(
  steps: readonly Step[],
  { locale, quote }: Pick<Messages, 'locale' | 'quote'>,
): string {
  const lines = steps
    .slice(0, MAX_STEPS)
    .map((step) => `-# ${cut(inWords(step).replaceAll('\n', ' '), MAX_STEP_LENGTH)}`);
  const count = steps.length - MAX_STEPS;
  if (count > 0) lines.push(`-# ${localize(locale, 'answers.discord.more-steps', { count })}`);
  const long = steps.find(
    ({ details = '', file }) => file === undefined && (details.length > 80 || details.includes('\n')),
  )?.details;
  const words = long?.replaceAll(/[|`]/g, '').replaceAll(/\s+/g, ' ').trim() ?? '';
  const room = Math.min(MAX_SPOILER_LENGTH, MAX_HEAD_LENGTH - quote.length - lines.join('\n').length);
  if (words !== '' && room > 0) lines.push(`-# ||${cut(words, room)}||`);
  return quote + (lines.length > 0 ? `${lines.join('\n')}\n` : '');
}

/** What stands under a finished answer. A button whose meaning Discord cannot carry is left out. */
export function closingRows(turn: TurnRef, { buttons }: Pick<AnswerActions, 'buttons'>): Json[] {
  const made = buttons.flatMap((button) => buttonOf(turn, button));
  return Array.from({ length: Math.min(MAX_ROWS, Math.ceil(made.length / PER_ROW)) }, (_, row) => ({
    type: ROW,
    components: made.slice(row * PER_ROW, (row + 1) * PER_ROW),
  }));
}

/** Under a message that is being written. */
export function stopRows(turn: TurnRef, locale: Locale): Json[] {
  const label = localize(locale, 'answers.button.stop');
  const custom_id = buttonCustomId(turn, { kind: 'stop' });
  return [{ type: ROW, components: [{ type: BUTTON, style: STYLE.danger, label, custom_id }] }];
}

function buttonOf(turn: TurnRef, { label, press }: Button): Json[] {
  const custom_id = buttonCustomId(turn, press);
  if (custom_id === undefined) return [];
  const thumb = press.kind === 'feedback' ? { emoji: { name: press.good ? '👍' : '👎' } } : undefined;
  return [{ type: BUTTON, style: STYLE.plain, custom_id, ...(thumb ?? { label: cut(label, LABEL) }) }];
}
