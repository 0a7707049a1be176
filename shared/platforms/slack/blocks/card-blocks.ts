import {
  actionText,
  type Card,
  type CardField,
  type CardPart,
  type CardControl,
  type CardOption,
  distinctActions,
  namedAs,
} from '../../../domain/index.ts';
import { cutSanitized, sanitize, sanitizeExcept } from '../../markdown/index.ts';
import type { Json } from './table-block.ts';
import { escaped, toMrkdwn } from './mrkdwn.ts';

/** Slack's limits (block reference): blocks of a message, and of App Home. */
const MAX_BLOCKS = { message: 50, home: 100 } as const;
/** Characters of all Markdown blocks of a message. */
const MARKDOWN = 12_000;
const SECTION = 3_000;
const HEADER = 150;
const FIELDS = 10;
const FIELD = 2_000;
const LABEL = 75;
const BUTTONS = 25;
const OPTIONS = 100;
const OPTION_VALUE = 150;
const CONFIRM = 300;
const ALT = 2_000;
const URL_LENGTH = 3_000;
/** The text beside blocks, which notifications show. */
const FALLBACK = 300;

const TONES = { working: '⏳ ', good: '✅ ', bad: '⚠️ ' } as const;

/** Where a card is drawn: App Home takes no Markdown blocks. */
export type CardSurface = keyof typeof MAX_BLOCKS;

/** A card as Slack's blocks and the text beside them; what is too long is cut, with a mark of that. */
export function renderCard(card: Card, place: CardSurface = 'message'): { blocks: Json[]; text: string } {
  const { title, by, tone, parts } = card;
  const mark = tone ? TONES[tone] : '';
  const head = title ? [{ type: 'header', text: plainText(mark + title, HEADER) }] : [];
  const from = by ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: `<@${by}>` }] }] : [];
  const room = { markdown: MARKDOWN };
  const drawn = parts.flatMap((part, n) => draw(part, n, room, place));
  const all = [...head, ...from, ...drawn];
  const most = MAX_BLOCKS[place];
  const blocks = all.length > most ? [...all.slice(0, most - 1), CUT] : all;
  const first = parts.find(({ kind }) => kind === 'text');
  const words = title ?? (first?.kind === 'text' ? first.markdown : '');
  return { blocks: blocks.length > 0 ? blocks : [CUT], text: escaped(mark + cut(sanitize(words), FALLBACK)) };
}

const CUT: Json = { type: 'context', elements: [{ type: 'plain_text', text: '…' }] };

function draw(part: CardPart, n: number, room: { markdown: number }, place: CardSurface): Json[] {
  switch (part.kind) {
    case 'text':
      return part.people ? [named(part.markdown, part.people)] : paragraph(part, room, place);
    case 'note': {
      const shown = sanitizeExcept(part.markdown, part.ownLinks);
      const text = naming(cut(toMrkdwn(cutSanitized(shown, FIELD)), SECTION), part.people);
      return text.trim() === '' ? [] : [{ type: 'context', elements: [{ type: 'mrkdwn', text }] }];
    }
    case 'fields':
      return fields(part.fields, part.people);
    case 'image':
      return part.url.length > URL_LENGTH
        ? []
        : [{ type: 'image', image_url: part.url, alt_text: cut(part.alt, ALT) }];
    case 'divider':
      return [{ type: 'divider' }];
    case 'files':
      // Slack shows them below the blocks: see `Stage.card`.
      return [];
    case 'controls':
      return controls(part.controls, n);
  }
}

/** A paragraph in which people are named: of Markdown, Slack's documentation says nothing about mentions. */
function named(markdown: string, people: readonly string[]): Json {
  const text = naming(cut(toMrkdwn(cutSanitized(sanitize(markdown), SECTION)), SECTION), people) || '…';
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

/** Makes the mentions of these people mentions again, which `inert` and `toMrkdwn` took from them. */
const naming = (mrkdwn: string, people: readonly string[] = []): string =>
  people.reduce((text, id) => text.replaceAll(toMrkdwn(sanitize(namedAs(id))), mentionOf(id)), mrkdwn);

/** Slack writes groups in a way of its own. */
const mentionOf = (id: string): string => (id.startsWith('&') ? `<!subteam^${id.slice(1)}>` : namedAs(id));

function paragraph(
  { markdown, ownLinks }: Extract<CardPart, { kind: 'text' | 'note' }>,
  room: { markdown: number },
  place: CardSurface,
): Json[] {
  const text = sanitizeExcept(markdown, ownLinks).trim();
  if (text === '') return [];
  if (place === 'home') {
    // Escaping lengthens: what is cut first may still be too long.
    const mrkdwn = cut(toMrkdwn(cutSanitized(text, SECTION)), SECTION);
    return [{ type: 'section', text: { type: 'mrkdwn', text: mrkdwn } }];
  }
  if (room.markdown < 2) return [];
  const shown = cutSanitized(text, room.markdown);
  room.markdown -= shown.length;
  return [{ type: 'markdown', text: shown }];
}

function fields(all: readonly CardField[], people?: readonly string[]): Json[] {
  const drawn = all.map(({ name, value, at }) => {
    const told = naming(toMrkdwn(cutSanitized(sanitize(value), FIELD / 4)), people);
    const moment = at === undefined ? '' : ` (${clockTime(at)})`;
    const text = `*${escaped(cut(sanitize(name), LABEL))}*\n${told || '–'}`;
    return { type: 'mrkdwn', text: cut(text, FIELD - moment.length) + moment };
  });
  const sections: Json[] = [];
  for (let at = 0; at < drawn.length; at += FIELDS) {
    sections.push({ type: 'section', fields: drawn.slice(at, at + FIELDS) });
  }
  return sections;
}

/**
 * A moment by the reader's own clock, to the second; for clients that know no dates, in UTC. Slack documents no date that goes on
 * changing by itself: `{ago}` says how long ago it was when the message was drawn. See
 * docs.slack.dev/messaging/formatting-message-text#date-formatting.
 */
function clockTime(ms: number): string {
  const utc = new Date(ms).toISOString().slice(11, 19);
  return `<!date^${Math.floor(ms / 1_000)}^{time_secs}|${utc} UTC>`;
}

/** What may be pressed side by side, and each choice with its label beside it. */
function controls(all: readonly CardControl[], n: number): Json[] {
  const blocks: Json[] = [];
  let row: Json[] = [];
  const flush = (): void => {
    if (row.length > 0) blocks.push({ type: 'actions', elements: row });
    row = [];
  };
  for (const [i, control] of all.entries()) {
    const nth = `${n}-${i}`;
    if (control.kind === 'choice') {
      flush();
      blocks.push(...choice(control, nth));
    } else {
      row.push(button(control, nth));
      if (row.length === BUTTONS) flush();
    }
  }
  flush();
  return blocks;
}

function button(control: Exclude<CardControl, { kind: 'choice' }>, nth: string): Json {
  const text = plainText(control.label, LABEL);
  if (control.kind === 'link') {
    return { type: 'button', text, url: control.url.slice(0, URL_LENGTH), action_id: `link:${nth}` };
  }
  const { action, style, confirm } = control;
  return {
    type: 'button',
    text,
    action_id: `card:${nth}`,
    value: actionText(action),
    ...(style ? { style } : {}),
    ...(confirm ? { confirm: question(confirm, control.label) } : {}),
  };
}

function question(words: string, label: string): Json {
  return {
    title: plainText(label, 100),
    text: plainText(words, CONFIRM),
    confirm: plainText(label, 30),
    deny: plainText('✕', 30),
  };
}

/** The action stands in the id: a menu has no value of its own. */
function choice(
  { label, action, options, chosen }: Extract<CardControl, { kind: 'choice' }>,
  nth: string,
): Json[] {
  const drawn = renderOptions(options);
  if (drawn.length === 0) return [];
  const initial = drawn.find(({ value }) => value === chosen);
  return [
    {
      type: 'section',
      text: { type: 'mrkdwn', text: cut(toMrkdwn(sanitize(label)), FIELD) || '…' },
      accessory: {
        type: 'static_select',
        action_id: `card:${nth}:${actionText(action)}`,
        placeholder: plainText('…', LABEL),
        options: drawn,
        ...(initial ? { initial_option: initial } : {}),
      },
    },
  ];
}

/** At most 100, and none whose value Slack would not take. */
export function renderOptions(options: readonly CardOption[]): (Json & { readonly value: string })[] {
  return distinctActions(options)
    .filter(({ value }) => value.length <= OPTION_VALUE)
    .slice(0, OPTIONS)
    .map(({ label, value, hint }) => ({
      text: plainText(label, LABEL),
      value,
      ...(hint ? { description: plainText(hint, LABEL) } : {}),
    }));
}

export function plainText(text: string, most: number): Json {
  return {
    type: 'plain_text',
    text: cut(sanitize(text.slice(0, 2 * most)).trim(), most) || '…',
    emoji: true,
  };
}

/** At most so long, the last character a mark where it was longer. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
