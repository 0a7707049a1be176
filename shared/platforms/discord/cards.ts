import { actionText, type Card, type CardPart, type Control, distinct } from '../../conversation/index.ts';
import { inert } from '../text/index.ts';
import { cut, optionOf } from './form.ts';

type Json = Readonly<Record<string, unknown>>;

/** Components of Discord's second version. See docs:components/reference. */
const [ROW, BUTTON, SELECT, TEXT, GALLERY, DIVIDER, CONTAINER] = [1, 2, 3, 10, 12, 14, 17];
const STYLES = { primary: 1, plain: 2, danger: 4, link: 5 } as const;
const COLOURS = { working: 0x5865f2, good: 0x248046, bad: 0xda373c } as const;

/** A message with these components; see docs:resources/message#message-flags. */
export const CARD_FLAG = 1 << 15;

const PER_ROW = 5;
const LABEL = 80;
const MOST_OPTIONS = 25;
/** Discord's limit is 40, those within others counted. */
const MOST_PARTS = 30;
/** Over all texts of a message: 4,000 characters, and a server error somewhere above 10,000 bytes. */
const CHARACTERS = 3_800;
const BYTES = 9_500;

/** A card as Discord shows it. What is too long for a message is cut, with a mark of that. */
export function drawCard({ title, by, tone, parts }: Card): Json[] {
  const room = { characters: CHARACTERS, bytes: BYTES };
  const heading = title === undefined ? [] : textsOf(`### ${title.replaceAll(/\s+/g, ' ')}`, room);
  const from = by === undefined ? [] : [{ type: TEXT, content: `-# <@${by}>` }];
  const components = [...heading, ...from, ...parts.flatMap((part) => partOf(part, room))].slice(
    0,
    MOST_PARTS,
  );
  return [
    {
      type: CONTAINER,
      ...(tone === undefined ? {} : { accent_color: COLOURS[tone] }),
      // Nothing at all is refused.
      components: components.length > 0 ? components : [{ type: TEXT, content: '…' }],
    },
  ];
}

type Room = { characters: number; bytes: number };

function partOf(part: CardPart, room: Room): Json[] {
  switch (part.kind) {
    case 'text':
      return textsOf(part.markdown, room);
    case 'note':
      return textsOf(part.markdown.replaceAll(/^(?=.)/gmu, '-# '), room);
    case 'fields':
      return textsOf(part.fields.map(({ name, value }) => `**${name}** ${value}`).join('\n'), room);
    case 'image':
      return [
        { type: GALLERY, items: [{ media: { url: part.url }, description: cut(part.alt || '…', 1_024) }] },
      ];
    case 'divider':
      return [{ type: DIVIDER }];
    case 'controls':
      return rowsOf(part.controls);
  }
}

function textsOf(markdown: string, room: Room): Json[] {
  const whole = inert(markdown).trim();
  let content = whole.slice(0, Math.max(0, room.characters));
  while (Buffer.byteLength(content) > room.bytes)
    content = content.slice(0, Math.floor(content.length * 0.9));
  if (content.length < whole.length)
    content = content.length > 1 ? `${content.slice(0, -1).toWellFormed()}…` : '';
  if (content === '') return [];
  room.characters -= content.length;
  room.bytes -= Buffer.byteLength(content) + 12;
  return [{ type: TEXT, content }];
}

/** Buttons stand five in a row, a choice in one of its own. */
function rowsOf(controls: readonly Control[]): Json[] {
  const rows: Json[] = [];
  let buttons: Json[] = [];
  const flush = (): void => {
    if (buttons.length > 0) rows.push({ type: ROW, components: buttons });
    buttons = [];
  };
  for (const control of controls) {
    if (control.kind === 'choice') {
      flush();
      rows.push({ type: ROW, components: [selectOf(control)] });
      continue;
    }
    if (buttons.length === PER_ROW) flush();
    const label = cut(control.label || '…', LABEL);
    buttons.push(
      control.kind === 'link'
        ? { type: BUTTON, style: STYLES.link, label, url: control.url }
        : {
            type: BUTTON,
            style: STYLES[control.style ?? 'plain'],
            label,
            custom_id: actionText(control.action),
          },
    );
  }
  flush();
  return rows;
}

function selectOf({ label, action, options, chosen }: Extract<Control, { kind: 'choice' }>): Json {
  return {
    type: SELECT,
    custom_id: actionText(action),
    placeholder: cut(label, 150),
    options: distinct(options)
      .slice(0, MOST_OPTIONS)
      .map((option) => ({ ...optionOf(option), ...(option.value === chosen && { default: true }) })),
  };
}
