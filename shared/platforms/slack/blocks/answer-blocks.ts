import { createHash } from 'node:crypto';
import type { TurnRef } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { Button, Step, AnswerActions } from '../../ports/platform.ts';
import { footerText, inWords, sanitize, type Table, tablesIn, UTF8_BYTES } from '../../markdown/index.ts';
import { type Json, tableBlock } from './table-block.ts';
import { buttonValue } from '../inbound/answer-buttons.ts';
import { stepsBlock } from '../answer/steps.ts';

/** What one message is to show: steps in a line above the words, or in task cards; blocks below them. */
export type Content = {
  /** Inert Markdown. */
  readonly text: string;
  readonly steps: readonly Step[];
  readonly under: readonly Json[];
};

/** What a message is posted with. */
export type Body = { readonly markdown_text: string } | BlocksBody;

/** What a message is posted with, or replaced by; `text` is what notifications show. */
export type BlocksBody = { readonly blocks: readonly Json[]; readonly text: string };

const MAX_BUTTONS = 25;
const LABEL = 75;
/**
 * Of the text beside blocks, which notifications show. `chat.update` refuses more than 4,000 bytes of UTF-8: measured live
 * (openclaw/openclaw#115027); the reference says "characters".
 */
const MAX_FALLBACK_BYTES = 3_900;

/** The content of a message: Markdown alone if that is enough. `tables`: how many may be table blocks. */
export function bodyOf({ text, steps, under }: Content, tables: number): Body {
  const words = wordBlocks(text, tables);
  const plain = steps.length === 0 && under.length === 0 && words.length <= 1;
  if (plain && words.every((block) => block['type'] === 'markdown')) return { markdown_text: text };
  return withBlocks({ text, steps, under }, words);
}

/**
 * The content that takes the place of all that a message shows. Always as blocks with a text beside them: `chat.update` keeps the
 * blocks of before where it is given Markdown alone. Source: docs.slack.dev/reference/methods/chat.update, "blocks".
 */
export function replacementOf(content: Content, tables: number): BlocksBody {
  return withBlocks(content, wordBlocks(content.text, tables));
}

function withBlocks({ text, steps, under }: Content, words: readonly Json[]): BlocksBody {
  const line = steps.map(inWords).join(' · ');
  return {
    blocks: [...stepsBlock(steps), ...words, ...under],
    text: fallback(text.trim() === '' ? line : text),
  };
}

/** Whether a text has a table that a message may show as one. */
export function hasTable(text: string): boolean {
  return tablesIn(text).some((table) => tableBlock(table) !== undefined);
}

/** The words as Markdown blocks, with table blocks in between. What does not fit into a table block stays Markdown. */
function wordBlocks(text: string, most: number): Json[] {
  const blocks: Json[] = [];
  let at = 0;
  let pending = '';
  let left = most;
  const flush = (): void => {
    const words = pending.replace(/^\n+/, '').trimEnd();
    if (words !== '') blocks.push({ type: 'markdown', text: words });
    pending = '';
  };
  for (const table of left > 0 ? tablesIn(text) : []) {
    const made = left > 0 ? tableBlock(table) : undefined;
    if (!made) continue;
    left -= 1;
    pending += text.slice(at, table.start);
    flush();
    blocks.push(made.block);
    at = table.rows[made.shown]?.start ?? table.end;
    if (at < table.end) pending = headOf(text, table);
  }
  pending += text.slice(at);
  flush();
  return blocks;
}

/** A table's header and line of dashes, to be repeated where the table is cut. */
export function headOf(text: string, { start, body }: Table): string {
  return text.slice(start, body);
}

/** The words as Slack's older markup wants them, in which `&`, `<` and `>` are commands; cut to fit. */
function fallback(text: string): string {
  let out = '';
  let room = MAX_FALLBACK_BYTES;
  for (const char of text) {
    const shown = ESCAPES.get(char) ?? char;
    room -= UTF8_BYTES.size(shown);
    if (room < 0) return `${out}…`;
    out += shown;
  }
  return out;
}

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/**
 * What stands under a finished answer: small print, its buttons, then the thumbs, as far as they are wanted. `text` tells one version of the
 * answer from the next: Slack wants new block ids for a new version, and the thumbs begin anew.
 */
export function closingBlocks(
  turn: TurnRef,
  { buttons, footer }: Pick<AnswerActions, 'buttons' | 'footer'>,
  text: string,
): Json[] {
  const version = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const thumbs = thumbsOf(turn, buttons);
  const counts = new Map<string, number>();
  const others = thumbs ? buttons.filter(({ press }) => press.kind !== 'feedback') : buttons;
  const elements = others.slice(0, MAX_BUTTONS).map(({ label, press }) => {
    const nth = counts.get(press.kind) ?? 0;
    counts.set(press.kind, nth + 1);
    return { type: 'button', text: plainText(label), ...buttonValue(turn, press, nth) };
  });
  return [
    ...(footer ? [smallPrint(footer)] : []),
    ...(elements.length > 0 ? [{ type: 'actions', block_id: `parley-actions-${version}`, elements }] : []),
    ...(thumbs
      ? [{ type: 'context_actions', block_id: `parley-feedback-${version}`, elements: [thumbs] }]
      : []),
  ];
}

const smallPrint = (words: string): Json => ({
  type: 'context',
  elements: [{ type: 'plain_text', text: footerText(words), emoji: false }],
});

function thumbsOf(turn: TurnRef, buttons: readonly Button[]): Json | undefined {
  const thumb = (good: boolean): { id: string; button: Json } | undefined => {
    const found = buttons.find(({ press }) => press.kind === 'feedback' && press.good === good);
    if (!found) return undefined;
    const { action_id: id, value } = buttonValue(turn, found.press);
    return { id, button: { text: plainText(found.label), value } };
  };
  const [good, bad] = [thumb(true), thumb(false)];
  if (!good || !bad) return undefined;
  return {
    type: 'feedback_buttons',
    action_id: good.id,
    positive_button: good.button,
    negative_button: bad.button,
  };
}

/** Known once the language of the person is. */
export type StopBlocks = () => Promise<readonly Json[]>;

/** Under a message that is being written where Slack has no Stop of its own. */
export function stopBlocks(turn: TurnRef, locale: Locale): Json[] {
  const button = {
    type: 'button',
    text: plainText(localize(locale, 'answers.button.stop')),
    style: 'danger',
  };
  const press = buttonValue(turn, { kind: 'stop' });
  return [{ type: 'actions', block_id: 'parley-stop', elements: [{ ...button, ...press }] }];
}

function plainText(words: string): Json {
  const label = sanitize(words.slice(0, 2 * LABEL)).trim();
  const text = label.length > LABEL ? `${label.slice(0, LABEL - 1).toWellFormed()}…` : label;
  return { type: 'plain_text', text: text || '…', emoji: true };
}
