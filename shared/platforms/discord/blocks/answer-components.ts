import { truncateText } from '../../../utils/index.ts';
import type { APIActionRowComponent, APIButtonComponentWithCustomId } from 'discord-api-types/v10';
import type { TurnRef } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { Button, Step, AnswerActions } from '../../ports/index.ts';
import { sanitize } from '../../markdown/index.ts';
import { ACTION_ROW, BUTTON, DANGER_BUTTON, SECONDARY_BUTTON } from '../api/enums.ts';
import { buttonCustomId } from './answer-buttons.ts';
import { formatStep } from '../../live-answer/index.ts';

/** A row of buttons below an answer. */
export type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

/** Discord's limit of characters in the text of a message. */
export const DISCORD_LIMIT = 2_000;

const MAX_BUTTONS_PER_ROW = 5;
const MAX_ROWS = 5;
const MAX_LABEL_LENGTH = 80;
const MAX_STEPS = 6;
const MAX_STEP_LENGTH = 120;
/** Long details are a spoiler, which opens on a click. */
const MAX_SPOILER_LENGTH = 600;
const MAX_QUOTE_LENGTH = 200;
/** Limit of all that is above the answer, which needs the rest of the message. */
const MAX_HEAD_LENGTH = 1_100;

const MARKUP = /[\\`*~|]|(?<!\w)_|_(?!\w)/gu;

/** Markup at the beginning of a line. `MARKUP` escapes the asterisk of a list, and a number is shown as it is written. */
const LINE_MARKUP = /^(?=#{1,3} |-# |[-+] |>)/u;

/** Quotes a question above its answer: in one line, with its markup escaped. Empty if there is none. */
export function renderQuote(question = ''): string {
  const line = sanitize(question).replaceAll(/\s+/gu, ' ').trim();
  if (line === '') return '';
  const escaped = truncateText(line, MAX_QUOTE_LENGTH).replaceAll(MARKUP, String.raw`\$&`);
  return `> ${escaped.replace(LINE_MARKUP, '\\')}\n`;
}

/**
 * Renders the part above the answer: the question, the steps in small print, and their long details as a
 * spoiler, unless those are attached as a file.
 */
export function renderHead(
  steps: readonly Step[],
  { locale, quote }: { readonly locale: Locale; readonly quote: string },
): string {
  const lines = steps
    .slice(0, MAX_STEPS)
    .map((step) => `-# ${truncateText(formatStep(step).replaceAll('\n', ' '), MAX_STEP_LENGTH)}`);
  const count = steps.length - MAX_STEPS;
  if (count > 0) lines.push(`-# ${localize(locale, 'answers.discord.more-steps', { count })}`);
  const details = steps.find(
    ({ details: text = '', file }) => file === undefined && (text.length > 80 || text.includes('\n')),
  )?.details;
  const spoiler = details?.replaceAll(/[|`]/g, '').replaceAll(/\s+/g, ' ').trim() ?? '';
  const room = Math.min(MAX_SPOILER_LENGTH, MAX_HEAD_LENGTH - quote.length - lines.join('\n').length);
  if (spoiler !== '' && room > 0) lines.push(`-# ||${truncateText(spoiler, room)}||`);
  return quote + (lines.length > 0 ? `${lines.join('\n')}\n` : '');
}

/** Renders the buttons below a finished answer, without those whose custom id would be too long. */
export function renderClosingRows(turn: TurnRef, { buttons }: Pick<AnswerActions, 'buttons'>): ButtonRow[] {
  const components = buttons.flatMap((button) => renderButton(turn, button));
  const count = Math.min(MAX_ROWS, Math.ceil(components.length / MAX_BUTTONS_PER_ROW));
  return Array.from({ length: count }, (_, row) => ({
    type: ACTION_ROW,
    components: components.slice(row * MAX_BUTTONS_PER_ROW, (row + 1) * MAX_BUTTONS_PER_ROW),
  }));
}

/** Renders the Stop button below an unfinished message. */
export function stopRows(turn: TurnRef, locale: Locale): ButtonRow[] {
  const label = localize(locale, 'answers.button.stop');
  const custom_id = buttonCustomId(turn, { kind: 'stop' });
  if (custom_id === undefined) return [];
  return [{ type: ACTION_ROW, components: [{ type: BUTTON, style: DANGER_BUTTON, label, custom_id }] }];
}

function renderButton(turn: TurnRef, { label, action }: Button): APIButtonComponentWithCustomId[] {
  const custom_id = buttonCustomId(turn, action);
  if (custom_id === undefined) return [];
  const face =
    action.kind === 'feedback'
      ? { emoji: { name: action.good ? '👍' : '👎' } }
      : { label: truncateText(label, MAX_LABEL_LENGTH) };
  return [{ type: BUTTON, style: SECONDARY_BUTTON, custom_id, ...face }];
}
