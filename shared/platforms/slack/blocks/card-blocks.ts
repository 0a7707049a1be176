import { truncateText } from '../../../utils/index.ts';
import type {
  Button,
  ConfirmationDialog,
  ContextBlock,
  KnownBlock,
  MrkdwnElement,
  PlainTextOption,
  SectionBlock,
} from '@slack/types';
import {
  serializeAction,
  type Card,
  type CardField,
  type CardPart,
  type CardControl,
  type CardOption,
  removeDuplicateOptions,
  formatMention,
} from '../../../domain/index.ts';
import { cutSanitized, sanitize, sanitizeExcept } from '../../markdown/index.ts';
import { escapeMrkdwn, toMrkdwn } from './mrkdwn.ts';
import { renderPlainText } from './answer-blocks.ts';

/** Slack's limits (block reference). First the number of blocks of a message and of App Home. */
const MAX_BLOCKS = { message: 50, home: 100 } as const;
/**
 * Characters of the texts of all blocks of a message together; those of menus are not counted. Slack documents no number and refuses more as
 * `msg_blocks_too_long`: about 13,200 of Markdown and sections (slackapi/bolt-js#2509), 11,341 with rich text (#2867).
 */
const MAX_TEXT_LENGTH = 11_000;
const MAX_SECTION_LENGTH = 3_000;
const MAX_HEADER_LENGTH = 150;
const MAX_FIELDS = 10;
const MAX_FIELD_LENGTH = 2_000;
const MAX_LABEL_LENGTH = 75;
const MAX_BUTTONS = 25;
const MAX_OPTIONS = 100;
const MAX_OPTION_VALUE_LENGTH = 150;
const MAX_CONFIRM_TITLE_LENGTH = 100;
const MAX_CONFIRM_LENGTH = 300;
const MAX_CONFIRM_BUTTON_LENGTH = 30;
const MAX_ALT_LENGTH = 2_000;
const MAX_URL_LENGTH = 3_000;
/** Our own limit of the text that notifications show. */
const MAX_NOTIFICATION_LENGTH = 300;

const TONE_ICONS = { working: '⏳ ', good: '✅ ', bad: '⚠️ ' } as const;

/** Where a card is shown. App Home does not accept Markdown blocks. */
export type CardSurface = keyof typeof MAX_BLOCKS;

/** Renders a card as Slack's blocks and as the text that notifications show. What is too long is cut and ends in an ellipsis. */
export function renderCard(
  card: Card,
  surface: CardSurface = 'message',
): { blocks: KnownBlock[]; text: string } {
  const { title, by, tone, parts } = card;
  const icon = tone ? TONE_ICONS[tone] : '';
  const renderAll = (markdown: number): KnownBlock[] => {
    const room = { markdown };
    const blocks: KnownBlock[] = [];
    if (title) blocks.push({ type: 'header', text: renderPlainText(icon + title, MAX_HEADER_LENGTH) });
    if (by) blocks.push(mrkdwnContext(`<@${by}>`));
    blocks.push(...parts.flatMap((part, index) => renderPart(part, index, room, surface)));
    return blocks;
  };
  // The Markdown gets what the other blocks leave.
  const others =
    surface === 'message' ? renderAll(0).reduce((sum, block) => sum + getTextLength(block), 0) : 0;
  const rendered = renderAll(MAX_TEXT_LENGTH - others);
  const all = others > MAX_TEXT_LENGTH ? limitTexts(rendered) : rendered;
  const maxBlocks = MAX_BLOCKS[surface];
  const blocks = all.length > maxBlocks ? [...all.slice(0, maxBlocks - 1), ELLIPSIS] : all;
  const firstText = parts.find(({ kind }) => kind === 'text');
  const summary = title ?? (firstText?.kind === 'text' ? firstText.markdown : '');
  return {
    blocks: blocks.length > 0 ? blocks : [ELLIPSIS],
    text: escapeMrkdwn(icon + truncateText(sanitize(summary), MAX_NOTIFICATION_LENGTH)),
  };
}

/** The characters of all texts in a block, without those of menus and confirmations. */
function getTextLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, one]: [string, unknown]) => {
    if (name === 'text' && typeof one === 'string') return sum + one.length;
    return UNCOUNTED.has(name) ? sum : sum + getTextLength(one);
  }, 0);
}

const UNCOUNTED = new Set(['options', 'initial_option', 'confirm', 'placeholder']);

/** Leaves out blocks for which a message has no room: first those without buttons and menus. */
function limitTexts(blocks: readonly KnownBlock[]): KnownBlock[] {
  let room = MAX_TEXT_LENGTH;
  const takeRoom = (block: KnownBlock): boolean => {
    const length = getTextLength(block);
    if (length > room) return false;
    room -= length;
    return true;
  };
  const fitting = new Set(
    blocks.toSorted((a, b) => Number(isControl(b)) - Number(isControl(a))).filter(takeRoom),
  );
  return [...blocks.filter((block) => fitting.has(block)), ELLIPSIS];
}

const isControl = (block: KnownBlock): boolean => block.type === 'actions' || 'accessory' in block;

const ELLIPSIS: ContextBlock = { type: 'context', elements: [{ type: 'plain_text', text: '…' }] };

const mrkdwn = (text: string): MrkdwnElement => ({ type: 'mrkdwn', text });
const mrkdwnContext = (text: string): ContextBlock => ({ type: 'context', elements: [mrkdwn(text)] });
const mrkdwnSection = (text: string): SectionBlock => ({ type: 'section', text: mrkdwn(text) });

function renderPart(
  part: CardPart,
  index: number,
  room: { markdown: number },
  surface: CardSurface,
): KnownBlock[] {
  switch (part.kind) {
    case 'text':
      return part.people
        ? [sectionWithMentions(part.markdown, part.people)]
        : renderText(part, room, surface);
    case 'note': {
      const clean = sanitizeExcept(part.markdown, part.ownLinks);
      const note = truncateText(toMrkdwn(cutSanitized(clean, MAX_FIELD_LENGTH)), MAX_SECTION_LENGTH);
      const text = withMentions(note, part.people);
      return text.trim() === '' ? [] : [mrkdwnContext(text)];
    }
    case 'fields':
      return renderFields(part.fields, part.people);
    case 'image':
      return part.url.length > MAX_URL_LENGTH
        ? []
        : [{ type: 'image', image_url: part.url, alt_text: truncateText(part.alt, MAX_ALT_LENGTH) }];
    case 'divider':
      return [{ type: 'divider' }];
    case 'files':
      // Slack shows files below the blocks of a message.
      return [];
    case 'controls':
      return renderControls(part.controls, index);
  }
}

/** Renders text that mentions people as mrkdwn: Slack does not document mentions in Markdown blocks. */
function sectionWithMentions(markdown: string, people: readonly string[]): SectionBlock {
  return mrkdwnSection(withMentions(sectionText(sanitize(markdown)), people) || '…');
}

/** Converts sanitized Markdown to mrkdwn for a section. Escaping lengthens a text, so it is cut before and after. */
const sectionText = (sanitized: string): string =>
  truncateText(toMrkdwn(cutSanitized(sanitized, MAX_SECTION_LENGTH)), MAX_SECTION_LENGTH);

/** Restores the mentions of these people, which `sanitize` and `toMrkdwn` have made plain text. */
const withMentions = (text: string, people: readonly string[] = []): string =>
  people.reduce(
    (rest, id) => rest.replaceAll(toMrkdwn(sanitize(formatMention(id))), formatAnyMention(id)),
    text,
  );

/** A user group has a mention syntax of its own. */
const formatAnyMention = (id: string): string =>
  id.startsWith('&') ? `<!subteam^${id.slice(1)}>` : formatMention(id);

function renderText(
  { markdown, ownLinks }: Extract<CardPart, { kind: 'text' | 'note' }>,
  room: { markdown: number },
  surface: CardSurface,
): KnownBlock[] {
  const text = sanitizeExcept(markdown, ownLinks).trim();
  if (text === '') return [];
  if (surface === 'home') return [mrkdwnSection(sectionText(text))];
  if (room.markdown < 2) return [];
  const fitting = cutSanitized(text, room.markdown);
  room.markdown -= fitting.length;
  return [{ type: 'markdown', text: fitting }];
}

function renderFields(fields: readonly CardField[], people?: readonly string[]): SectionBlock[] {
  const elements = fields.map(({ name, value, at }) => {
    const content = withMentions(toMrkdwn(cutSanitized(sanitize(value), MAX_FIELD_LENGTH / 4)), people);
    const time = at === undefined ? '' : ` (${clockTime(at)})`;
    const text = `*${escapeMrkdwn(truncateText(sanitize(name), MAX_LABEL_LENGTH))}*\n${content || '–'}`;
    return mrkdwn(truncateText(text, MAX_FIELD_LENGTH - time.length) + time);
  });
  return Array.from({ length: Math.ceil(elements.length / MAX_FIELDS) }, (_, section) => ({
    type: 'section',
    fields: elements.slice(section * MAX_FIELDS, (section + 1) * MAX_FIELDS),
  }));
}

/**
 * Renders a time for the reader's time zone, to the second, with UTC as the fallback. Slack documents no time that updates itself:
 * `{ago}` is computed once, when the message is rendered. See
 * docs.slack.dev/messaging/formatting-message-text#date-formatting.
 */
function clockTime(ms: number): string {
  const utc = new Date(ms).toISOString().slice(11, 19);
  return `<!date^${Math.floor(ms / 1_000)}^{time_secs}|${utc} UTC>`;
}

/** Renders controls: buttons side by side, each choice in a row with its label. */
function renderControls(controls: readonly CardControl[], part: number): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  let row: Button[] = [];
  const flush = (): void => {
    if (row.length > 0) blocks.push({ type: 'actions', elements: row });
    row = [];
  };
  for (const [index, control] of controls.entries()) {
    const position = `${part}-${index}`;
    if (control.kind === 'choice') {
      flush();
      blocks.push(...renderChoice(control, position));
    } else {
      row.push(renderButton(control, position));
      if (row.length === MAX_BUTTONS) flush();
    }
  }
  flush();
  return blocks;
}

function renderButton(
  { label, action, style, confirm }: Extract<CardControl, { kind: 'button' }>,
  position: string,
): Button {
  return {
    type: 'button',
    text: renderPlainText(label, MAX_LABEL_LENGTH),
    action_id: `card:${position}`,
    value: serializeAction(action),
    ...(style && { style }),
    ...(confirm && { confirm: confirmDialog(confirm, label) }),
  };
}

function confirmDialog(text: string, label: string): ConfirmationDialog {
  return {
    title: renderPlainText(label, MAX_CONFIRM_TITLE_LENGTH),
    text: renderPlainText(text, MAX_CONFIRM_LENGTH),
    confirm: renderPlainText(label, MAX_CONFIRM_BUTTON_LENGTH),
    deny: renderPlainText('✕', MAX_CONFIRM_BUTTON_LENGTH),
  };
}

/** Renders a select menu. It has no value of its own, so its action is in the `action_id`. */
function renderChoice(
  { label, action, options, chosen }: Extract<CardControl, { kind: 'choice' }>,
  position: string,
): SectionBlock[] {
  const rendered = renderOptions(options);
  if (rendered.length === 0) return [];
  const initial = rendered.find(({ value }) => value === chosen);
  return [
    {
      ...mrkdwnSection(truncateText(toMrkdwn(sanitize(label)), MAX_FIELD_LENGTH) || '…'),
      accessory: {
        type: 'static_select',
        action_id: `card:${position}:${serializeAction(action)}`,
        placeholder: renderPlainText('…', MAX_LABEL_LENGTH),
        options: rendered,
        ...(initial && { initial_option: initial }),
      },
    },
  ];
}

/** Renders the options of a menu: at most 100, without those whose value is too long for Slack. */
export function renderOptions(options: readonly CardOption[]): PlainTextOption[] {
  return removeDuplicateOptions(options)
    .filter(({ value }) => value.length <= MAX_OPTION_VALUE_LENGTH)
    .slice(0, MAX_OPTIONS)
    .map(({ label, value, hint }) => ({
      text: renderPlainText(label, MAX_LABEL_LENGTH),
      value,
      ...(hint && { description: renderPlainText(hint, MAX_LABEL_LENGTH) }),
    }));
}
