import { parseJson, truncateText } from '../../../utils/index.ts';
import type {
  PlainTextElement,
  ContextBlock,
  Button as SlackButton,
  FeedbackButtons,
  KnownBlock,
} from '@slack/types';
import { sanitizePlainText, type Table, tablesIn, UTF8_BYTES } from '../../markdown/index.ts';
import * as v from 'valibot';
import {
  type MessageId,
  messageId,
  type ButtonAction,
  serializeAction,
  type TurnRef,
} from '../../../domain/index.ts';
import type { Step, Button, AnswerActions, TurnCommand } from '../../ports/index.ts';
import { formatStep, formatFooterLine } from '../../live-answer/index.ts';
import { hash } from 'node:crypto';
import { type Locale, localize } from '../../../i18n/index.ts';
import { renderSources } from './sources-block.ts';
import { renderTable } from './table-block.ts';

/** Renders a plain text object. Slack refuses an empty one and one that is longer than its place allows. */
export function renderPlainText(text: string, maxLength: number): PlainTextElement {
  return {
    type: 'plain_text',
    // Only the beginning is sanitized: the rest is cut off anyway.
    text: truncateText(sanitizePlainText(text.slice(0, 2 * maxLength)).trim(), maxLength) || '…',
    emoji: true,
  };
}

/** Slack's own limit for the value of a button. */
const MAX_VALUE_LENGTH = 2_000;
const PREFIX = 'parley:';
const ACTION_ID = /^parley:(stop|feedback|regenerate|continue|version)(?::\d{1,2})?$/;

// `#` separates the parts of a key, so an id may not contain it.
const ts = v.pipe(v.string(), v.regex(/^\d{1,15}\.\d{1,10}$/), v.transform(messageId));
const where = { t: ts, m: ts };

const buttonValueSchema = v.variant('kind', [
  v.strictObject({ ...where, kind: v.literal('stop') }),
  v.strictObject({ ...where, kind: v.literal('feedback'), good: v.boolean() }),
  v.strictObject({
    ...where,
    kind: v.literal('regenerate'),
    model: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(256))),
  }),
  v.strictObject({ ...where, kind: v.literal('continue') }),
  v.strictObject({
    ...where,
    kind: v.literal('version'),
    choice: v.optional(v.pipe(v.string(), v.regex(/^\d$/))),
  }),
]);

const clickedAction = v.object({
  action_id: v.pipe(v.string(), v.regex(ACTION_ID)),
  action_ts: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/)),
  value: v.pipe(v.string(), v.maxLength(MAX_VALUE_LENGTH)),
});

/** A clicked button below an answer. */
type ParsedButton = {
  /** The root message of the thread. */
  readonly root: MessageId;
  /** The question of the answer. */
  readonly message: MessageId;
  readonly action: ButtonAction;
  /** Slack's timestamp of the click, the same in a retry. */
  readonly at: string;
};

/**
 * The id and value of a button, for `parseButtonValue` to parse when it is clicked, maybe days later in another process.
 * `nth` makes ids of one kind distinct, as Slack allows each `action_id` once per block. Requests are signed by Slack, but
 * people may forward a message with its buttons: who may click is checked where the action is carried out.
 */
export function serializeButton(
  turn: TurnRef,
  action: ButtonAction | TurnCommand,
  nth = 0,
): { action_id: string; value: string } {
  if (action.kind === 'command') {
    const args = [turn.thread.root, turn.message];
    return { action_id: `card:0-${nth}`, value: serializeAction({ name: action.name, args }) };
  }
  return {
    action_id: `${PREFIX}${action.kind}${nth > 0 ? `:${nth}` : ''}`,
    value: JSON.stringify({ t: turn.thread.root, m: turn.message, ...action }),
  };
}

/** Parses an entry of `actions` of a `block_actions` payload. Undefined if it is not a button of ours. */
export function parseButtonValue(clicked: unknown): ParsedButton | undefined {
  const outer = v.safeParse(clickedAction, clicked);
  if (!outer.success) return undefined;
  const { action_id: id, action_ts: at, value: text } = outer.output;
  const inner = v.safeParse(buttonValueSchema, parseJson(text));
  if (!inner.success || ACTION_ID.exec(id)?.[1] !== inner.output.kind) return undefined;
  const { t: root, m: message, ...action } = inner.output;
  return { root, message, action: action, at };
}

/** Slack's limit of a context block. */
const ELEMENTS = 10;

/** The steps in a line above the text, where there are no task cards: one element each. */
function stepsBlock(steps: readonly Step[]): ContextBlock[] {
  if (steps.length === 0) return [];
  const maxSteps = steps.length > ELEMENTS ? ELEMENTS - 1 : ELEMENTS;
  const words = steps.slice(0, maxSteps).map(formatStep);
  if (steps.length > maxSteps) words.push(`+${steps.length - maxSteps}`);
  return [{ type: 'context', elements: words.map((text) => ({ type: 'plain_text', text, emoji: false })) }];
}

/** The content of one message: steps in a line above the text or in task cards, and blocks below the text. */
export type Content = {
  /** Sanitized Markdown. */
  readonly text: string;
  readonly steps: readonly Step[];
  readonly under: readonly KnownBlock[];
};

/** The arguments with which a message is posted. */
export type Body = { readonly markdown_text: string } | BlocksBody;

/** The arguments with which a message is posted or updated. Notifications show `text`. */
type BlocksBody = { readonly blocks: readonly KnownBlock[]; readonly text: string };

const MAX_BUTTONS = 25;
const MAX_LABEL_LENGTH = 75;
/**
 * Limit of the text that notifications show. `chat.update` refuses more than 4,000 bytes of UTF-8 (measured live:
 * openclaw/openclaw#115027); the reference says "characters".
 */
const MAX_NOTIFICATION_BYTES = 3_900;

/** Renders the content of a message, as Markdown alone if that is enough. At most `tables` tables become table blocks. */
export function renderBody({ text, steps, under }: Content, tables: number): Body {
  const blocks = textBlocks(text, tables);
  const isPlain = steps.length === 0 && under.length === 0 && blocks.length <= 1;
  if (isPlain && blocks.every(({ type }) => type === 'markdown')) return { markdown_text: text };
  return withBlocks({ text, steps, under }, blocks);
}

/**
 * Renders the content that replaces a whole message. Always as blocks with a text: given Markdown alone, `chat.update` keeps the
 * former blocks. Source: docs.slack.dev/reference/methods/chat.update, "blocks".
 */
export function renderReplacement(content: Content, tables: number): BlocksBody {
  return withBlocks(content, textBlocks(content.text, tables));
}

function withBlocks({ text, steps, under }: Content, blocks: readonly KnownBlock[]): BlocksBody {
  const line = steps.map(formatStep).join(' · ');
  return {
    blocks: [...stepsBlock(steps), ...blocks, ...under],
    text: notificationText(text.trim() === '' ? line : text),
  };
}

/** Whether a text has a table that fits into a table block. */
export function hasTable(text: string): boolean {
  return tablesIn(text).some((table) => renderTable(table) !== undefined);
}

/** Renders text as Markdown blocks with table blocks in between. Rows that do not fit into a table block stay Markdown. */
function textBlocks(text: string, maxTables: number): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  let end = 0;
  let pending = '';
  let left = maxTables;
  const flush = (): void => {
    const markdown = pending.replace(/^\n+/, '').trimEnd();
    if (markdown !== '') blocks.push({ type: 'markdown', text: markdown });
    pending = '';
  };
  for (const table of left > 0 ? tablesIn(text) : []) {
    const rendered = left > 0 ? renderTable(table) : undefined;
    if (!rendered) continue;
    left -= 1;
    pending += text.slice(end, table.start);
    flush();
    blocks.push(rendered.block);
    end = table.rows[rendered.shown]?.start ?? table.end;
    if (end < table.end) pending = getTableHead(text, table);
  }
  pending += text.slice(end);
  flush();
  return blocks;
}

/** The header of a table with its line of dashes, which is repeated where the table is split. */
function getTableHead(text: string, { start, body }: Table): string {
  return text.slice(start, body);
}

/** Escapes text for mrkdwn, where `&`, `<` and `>` are control characters, and cuts it to the limit. */
function notificationText(text: string): string {
  let escaped = '';
  let room = MAX_NOTIFICATION_BYTES;
  for (const char of text) {
    const next = ESCAPES.get(char) ?? char;
    room -= UTF8_BYTES.size(next);
    if (room < 0) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/**
 * Renders the part below a finished answer: the sources, the footer, the buttons and the feedback buttons. `text`
 * identifies the version of the answer: a new version needs new block ids, and its feedback buttons start
 * unpressed.
 */
export function renderClosingBlocks(
  turn: TurnRef,
  { buttons, footer, sources = [] }: Pick<AnswerActions, 'buttons' | 'footer' | 'sources'>,
  text: string,
): KnownBlock[] {
  const version = hash('sha256', text, 'hex').slice(0, 12);
  const feedback = feedbackButtons(turn, buttons);
  const counts = new Map<string, number>();
  const others = feedback ? buttons.filter(({ action }) => action.kind !== 'feedback') : buttons;
  const elements = others.slice(0, MAX_BUTTONS).map(({ label, action }): SlackButton => {
    const nth = counts.get(action.kind) ?? 0;
    counts.set(action.kind, nth + 1);
    return {
      type: 'button',
      text: renderPlainText(label, MAX_LABEL_LENGTH),
      ...serializeButton(turn, action, nth),
    };
  });
  const blocks: KnownBlock[] = [
    ...(sources.length > 0 ? [renderSources(sources)] : []),
    ...(footer ? [footerBlock(footer)] : []),
  ];
  if (elements.length > 0) blocks.push({ type: 'actions', block_id: `parley-actions-${version}`, elements });
  if (feedback)
    blocks.push({ type: 'context_actions', block_id: `parley-feedback-${version}`, elements: [feedback] });
  return blocks;
}

const footerBlock = (text: string): ContextBlock => ({
  type: 'context',
  elements: [{ type: 'plain_text', text: formatFooterLine(text), emoji: false }],
});

function feedbackButtons(turn: TurnRef, buttons: readonly Button[]): FeedbackButtons | undefined {
  const feedbackButton = (isGood: boolean) => {
    const button = buttons.find(({ action }) => action.kind === 'feedback' && action.good === isGood);
    if (!button) return undefined;
    const { action_id: id, value } = serializeButton(turn, button.action);
    return { id, button: { text: renderPlainText(button.label, MAX_LABEL_LENGTH), value } };
  };
  const [good, bad] = [feedbackButton(true), feedbackButton(false)];
  if (!good || !bad) return undefined;
  return {
    type: 'feedback_buttons',
    action_id: good.id,
    positive_button: good.button,
    negative_button: bad.button,
  };
}

/** Renders the Stop button. A promise, because the locale of the person may have to be looked up. */
export type StopBlocks = () => Promise<readonly KnownBlock[]>;

/** Renders the Stop button below an unfinished message, for surfaces where Slack shows no Stop of its own. */
export function stopBlocks(turn: TurnRef, locale: Locale): KnownBlock[] {
  const button: SlackButton = {
    type: 'button',
    text: renderPlainText(localize(locale, 'answers.button.stop'), MAX_LABEL_LENGTH),
    style: 'danger',
    ...serializeButton(turn, { kind: 'stop' }),
  };
  return [{ type: 'actions', block_id: 'parley-stop', elements: [button] }];
}
