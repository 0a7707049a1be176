import {
  serializeAction,
  type Card,
  type CardField,
  type CardPart,
  type CardControl,
  formatMention,
} from '../../../domain/index.ts';
import { cutSanitized, sanitize, sanitizeExcept } from '../../markdown/index.ts';
import { cut, named, optionsOf } from '../inbound/modal.ts';

type Json = Readonly<Record<string, unknown>>;

/** Components of Discord's second version. See docs:components/reference. */
const [ROW, BUTTON, SELECT, TEXT, GALLERY, FILE, DIVIDER, CONTAINER] = [1, 2, 3, 10, 12, 13, 14, 17];
const STYLES = { primary: 1, plain: 2, danger: 4, link: 5 } as const;
const COLOURS = { working: 0x5865f2, good: 0x248046, bad: 0xda373c } as const;

/** A message with these components; see docs:resources/message#message-flags. */
export const CARD_FLAG = 1 << 15;

const PER_ROW = 5;
const LABEL = 80;
const MAX_PLACEHOLDER_LENGTH = 150;
const MAX_ADDRESS_LENGTH = 512;
const MAX_ALT_LENGTH = 1_024;
/** Discord's limit, with those within others counted: the container is one. */
const MAX_COMPONENTS = 40 - 1;
/** Over all texts of a message: 4,000 characters, and a server error somewhere above 10,000 bytes. */
const CHARACTERS = 3_800;
const BYTES = 9_500;
/** Discord counts so many more for each text. */
const EACH_BYTES = 12;

/** A card as Discord shows it. What is too long for a message is cut, with a mark of that. */
export function renderCard({ title, by, tone, parts }: Card): Json[] {
  const room = { characters: CHARACTERS, bytes: BYTES, components: MAX_COMPONENTS, ids: new Set<string>() };
  const heading = title === undefined ? [] : textsOf(`### ${title.replaceAll(/\s+/g, ' ')}`, room);
  const from = by === undefined ? [] : textOf(`-# <@${by}>`, room);
  const components = [...heading, ...from, ...parts.flatMap((part) => partOf(part, room))];
  return [
    {
      type: CONTAINER,
      ...(tone === undefined ? {} : { accent_color: COLOURS[tone] }),
      // Nothing at all is refused.
      components: components.length > 0 ? components : [{ type: TEXT, content: '…' }],
    },
  ];
}

/** What a message still has room for. A control must not stand there twice. */
type Room = { characters: number; bytes: number; components: number; readonly ids: Set<string> };

function partOf(part: CardPart, room: Room): Json[] {
  switch (part.kind) {
    case 'text':
      return textsOf(part.markdown, room, part);
    case 'note':
      return textsOf(part.markdown.replaceAll(/^(?=.)/gmu, '-# '), room, part);
    case 'fields':
      return textsOf(part.fields.map(fieldText).join('\n'), room, part);
    case 'image':
      return taken(1, room) ? [imageOf(part)] : [];
    case 'divider':
      return taken(1, room) ? [{ type: DIVIDER }] : [];
    case 'files':
      return part.files.flatMap(({ name }) =>
        taken(1, room) ? [{ type: FILE, file: { url: `attachment://${attachmentName(name)}` } }] : [],
      );
    case 'controls':
      return rowsOf(part.controls, room);
  }
}

/** Discord's clients go on saying how long ago a moment was: see docs:reference#message-formatting-timestamp-styles. */
const fieldText = ({ name, value, at }: CardField): string =>
  `**${name}** ${value}${at === undefined ? '' : ` (<t:${Math.floor(at / 1_000)}:R>)`}`;

/** Letters that Discord keeps in the name of a file, and finds it by: all others become dashes. */
export function attachmentName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '-');
  const [, stem = '', ending = ''] = /^(.*?)(\.\w+)?$/su.exec(plain) ?? [];
  return `${stem.replaceAll(/^-+|-+$/g, '') || 'file'}${ending}`;
}

/** Takes room for so many components, if there is so much. */
function taken(count: number, room: Room): boolean {
  const fits = room.components >= count;
  if (fits) room.components -= count;
  return fits;
}

const imageOf = ({ url, alt }: Extract<CardPart, { kind: 'image' }>): Json => ({
  type: GALLERY,
  items: [{ media: { url }, description: named(alt, MAX_ALT_LENGTH) }],
});

/** `people` are shown by their names; nobody is called by that. */
function textsOf(
  markdown: string,
  room: Room,
  { people = [], ownLinks }: Pick<Extract<CardPart, { kind: 'text' | 'note' }>, 'people' | 'ownLinks'> = {},
): Json[] {
  const whole = sanitizeExcept(markdown, ownLinks).trim();
  return textOf(
    people.reduce((text, id) => text.replaceAll(sanitize(formatMention(id)), formatMention(id)), whole),
    room,
  );
}

function textOf(whole: string, room: Room): Json[] {
  const most = Math.max(0, room.bytes - EACH_BYTES);
  let content = cutSanitized(whole, Math.max(0, room.characters));
  while (content !== '' && Buffer.byteLength(content) > most)
    content = cutSanitized(whole, Math.floor(content.length * 0.9));
  if (content === '' || !taken(1, room)) return [];
  room.characters -= content.length;
  room.bytes -= Buffer.byteLength(content) + EACH_BYTES;
  return [{ type: TEXT, content }];
}

/** Buttons stand five in a row, a choice in one of its own. */
function rowsOf(controls: readonly CardControl[], room: Room): Json[] {
  const rows: Json[][] = [];
  let buttons: Json[] | undefined;
  for (const control of controls) {
    const drawn = drawControl(control);
    const id = drawn && idOf(drawn);
    if (!drawn || (id !== undefined && room.ids.has(id))) continue;
    const opens = control.kind === 'choice' || !buttons || buttons.length === PER_ROW;
    if (!taken(opens ? 2 : 1, room)) break;
    if (id !== undefined) room.ids.add(id);
    if (!opens) {
      buttons?.push(drawn);
      continue;
    }
    const row = [drawn];
    rows.push(row);
    buttons = control.kind === 'choice' ? undefined : row;
  }
  return rows.map((components) => ({ type: ROW, components }));
}

const idOf = ({ custom_id: id }: Json): string | undefined => (typeof id === 'string' ? id : undefined);

/** Undefined for what Discord would not take: a choice among nothing, an address that is too long. */
function drawControl(control: CardControl): Json | undefined {
  if (control.kind === 'choice') return selectOf(control);
  const label = named(control.label, LABEL);
  if (control.kind === 'button') {
    const style = STYLES[control.style ?? 'plain'];
    return { type: BUTTON, style, label, custom_id: serializeAction(control.action) };
  }
  const { url } = control;
  return url.length > MAX_ADDRESS_LENGTH ? undefined : { type: BUTTON, style: STYLES.link, label, url };
}

function selectOf(control: Extract<CardControl, { kind: 'choice' }>): Json | undefined {
  // Where something is chosen Discord shows that alone, in place of what the menu is for.
  const told = control.options.map((option) =>
    option.value === control.chosen ? { ...option, label: `${control.label}: ${option.label}` } : option,
  );
  const options = optionsOf(told, control.chosen);
  const placeholder = cut(control.label, MAX_PLACEHOLDER_LENGTH);
  if (options.length === 0) return undefined;
  return { type: SELECT, custom_id: serializeAction(control.action), placeholder, options };
}
