import type { TurnRef } from '../../conversation/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Button, Step, Under } from '../platform.ts';
import { inert, inWords } from '../text/index.ts';
import { cut } from './form.ts';
import type { Messages } from './messages.ts';
import { pressText } from './press.ts';

type Json = Readonly<Record<string, unknown>>;

/** Discord's limit for the text of a message. */
export const DISCORD_LIMIT = 2_000;

const [ROW, BUTTON] = [1, 2];
const STYLE = { plain: 2, danger: 4 } as const;
const PER_ROW = 5;
const MOST_ROWS = 5;
const LABEL = 80;
const MOST_STEPS = 6;
const LONGEST_STEP = 120;
/** Reasoning that is shown in full hides behind a click. */
const LONGEST_SPOILER = 600;
const LONGEST_QUOTE = 200;
/** Words need room beside it. */
const LONGEST_HEAD = 1_100;

const MARKS = /[\\`*~|]|(?<!\w)_|_(?!\w)/gu;

/** A question as it is shown above its answer: one line, as it was typed. Empty for none. */
export function quoteOf(question = ''): string {
  const words = inert(question).replaceAll(/\s+/gu, ' ').trim();
  return words === '' ? '' : `> ${cut(words, LONGEST_QUOTE).replaceAll(MARKS, String.raw`\$&`)}\n`;
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
    .slice(0, MOST_STEPS)
    .map((step) => `-# ${cut(inWords(step).replaceAll('\n', ' '), LONGEST_STEP)}`);
  const count = steps.length - MOST_STEPS;
  if (count > 0) lines.push(`-# ${say(locale, 'answers.discord.more-steps', { count })}`);
  const long = steps.find(
    ({ details = '', file }) => file === undefined && (details.length > 80 || details.includes('\n')),
  )?.details;
  const words = long?.replaceAll(/[|`]/g, '').replaceAll(/\s+/g, ' ').trim() ?? '';
  const room = Math.min(LONGEST_SPOILER, LONGEST_HEAD - quote.length - lines.join('\n').length);
  if (words !== '' && room > 0) lines.push(`-# ||${cut(words, room)}||`);
  return quote + (lines.length > 0 ? `${lines.join('\n')}\n` : '');
}

/** What stands under a finished answer. A button whose meaning Discord cannot carry is left out. */
export function closingRows(turn: TurnRef, { buttons }: Pick<Under, 'buttons'>): Json[] {
  const made = buttons.flatMap((button) => buttonOf(turn, button));
  return Array.from({ length: Math.min(MOST_ROWS, Math.ceil(made.length / PER_ROW)) }, (_, row) => ({
    type: ROW,
    components: made.slice(row * PER_ROW, (row + 1) * PER_ROW),
  }));
}

/** Under a message that is being written. */
export function stopRows(turn: TurnRef, locale: Locale): Json[] {
  const label = say(locale, 'answers.button.stop');
  const custom_id = pressText(turn, { kind: 'stop' });
  return [{ type: ROW, components: [{ type: BUTTON, style: STYLE.danger, label, custom_id }] }];
}

function buttonOf(turn: TurnRef, { label, press }: Button): Json[] {
  const custom_id = pressText(turn, press);
  if (custom_id === undefined) return [];
  const thumb = press.kind === 'feedback' ? { emoji: { name: press.good ? '👍' : '👎' } } : undefined;
  return [{ type: BUTTON, style: STYLE.plain, custom_id, ...(thumb ?? { label: cut(label, LABEL) }) }];
}
