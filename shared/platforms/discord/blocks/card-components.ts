import { truncateText } from '../../../utils/index.ts';
import type {
  APIActionRowComponent,
  APIButtonComponentWithCustomId,
  APIComponentInContainer,
  APIContainerComponent,
  APIMediaGalleryComponent,
  APIStringSelectComponent,
  APITextDisplayComponent,
} from 'discord-api-types/v10';
import {
  serializeAction,
  type Card,
  type CardField,
  type CardPart,
  type CardControl,
  formatMention,
} from '../../../domain/index.ts';
import { cutSanitized, sanitize, sanitizeExcept } from '../../markdown/index.ts';
import {
  ACTION_ROW,
  BUTTON,
  CONTAINER,
  DANGER_BUTTON,
  FILE,
  IS_COMPONENTS_V2,
  MEDIA_GALLERY,
  PRIMARY_BUTTON,
  SECONDARY_BUTTON,
  SEPARATOR,
  STRING_SELECT,
  TEXT_DISPLAY,
} from '../api/enums.ts';
import { cutLabel, renderOptions } from './modal.ts';

type ControlComponent = APIButtonComponentWithCustomId | APIStringSelectComponent;

const BUTTON_STYLES = {
  primary: PRIMARY_BUTTON,
  plain: SECONDARY_BUTTON,
  danger: DANGER_BUTTON,
} as const;
const ACCENT_COLORS = { working: 0x5865f2, good: 0x248046, bad: 0xda373c } as const;

/** The flag of a message that is a card. */
export const CARD_FLAG = IS_COMPONENTS_V2;

/** Discord's limits. See docs:components/reference. */
const MAX_BUTTONS_PER_ROW = 5;
const MAX_LABEL_LENGTH = 80;
const MAX_PLACEHOLDER_LENGTH = 150;
const MAX_ALT_LENGTH = 1_024;
/** Discord refuses the whole card for a longer one. */
const MAX_URL_LENGTH = 2_048;
/** Discord counts nested components too: the container is one of 40. */
const MAX_COMPONENTS = 40 - 1;
/** All texts of a message may have 4,000 characters; above about 10,000 bytes Discord responds with a 500 (discord-api-docs#8554). */
const MAX_CHARACTERS = 3_800;
const MAX_BYTES = 9_500;
/** Bytes that Discord counts in addition for each text. */
const OVERHEAD_BYTES = 12;

/** Renders a card. What is too long for a message is cut and ends in an ellipsis. */
export function renderCard({ title, by, tone, parts }: Card): [APIContainerComponent] {
  const room: Room = {
    characters: MAX_CHARACTERS,
    bytes: MAX_BYTES,
    components: MAX_COMPONENTS,
    ids: new Set(),
  };
  const heading = title === undefined ? [] : renderTexts(`### ${title.replaceAll(/\s+/g, ' ')}`, room);
  const from = by === undefined ? [] : renderText(`-# <@${by}>`, room);
  const components = [...heading, ...from, ...parts.flatMap((part) => renderPart(part, room))];
  return [
    {
      type: CONTAINER,
      ...(tone === undefined ? {} : { accent_color: ACCENT_COLORS[tone] }),
      // Discord refuses an empty container.
      components: components.length > 0 ? components : [{ type: TEXT_DISPLAY, content: '…' }],
    },
  ];
}

/** What still fits into a message. `ids`: the custom ids in use, which must be unique. */
type Room = { characters: number; bytes: number; components: number; readonly ids: Set<string> };

function renderPart(part: CardPart, room: Room): APIComponentInContainer[] {
  switch (part.kind) {
    case 'text':
      return renderTexts(part.markdown, room, part);
    case 'note':
      return renderTexts(part.markdown.replaceAll(/^(?=.)/gmu, '-# '), room, part);
    case 'fields':
      return renderTexts(part.fields.map(fieldText).join('\n'), room, part);
    case 'image':
      return part.url.length <= MAX_URL_LENGTH && reserveComponents(1, room) ? [renderImage(part)] : [];
    case 'divider':
      return reserveComponents(1, room) ? [{ type: SEPARATOR }] : [];
    case 'files':
      return part.files.flatMap(({ name }) =>
        reserveComponents(1, room)
          ? [{ type: FILE, file: { url: `attachment://${getAttachmentName(name)}` } }]
          : [],
      );
    case 'controls':
      return renderRows(part.controls, room);
  }
}

/** Clients keep a relative timestamp up to date: see docs:reference#message-formatting-timestamp-styles. */
const fieldText = ({ name, value, at }: CardField): string =>
  `**${name}** ${value}${at === undefined ? '' : ` (<t:${Math.floor(at / 1_000)}:R>)`}`;

/** The file name with dashes for all characters that Discord would replace. `attachment://` needs the exact name. */
export function getAttachmentName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '-');
  const [, stem = '', ending = ''] = /^(.*?)(\.\w+)?$/su.exec(plain) ?? [];
  return `${stem.replaceAll(/^-+|-+$/g, '') || 'file'}${ending}`;
}

/** Reserves room for components. Returns whether they fit. */
function reserveComponents(count: number, room: Room): boolean {
  const hasRoom = room.components >= count;
  if (hasRoom) room.components -= count;
  return hasRoom;
}

const renderImage = ({ url, alt }: Extract<CardPart, { kind: 'image' }>): APIMediaGalleryComponent => ({
  type: MEDIA_GALLERY,
  items: [{ media: { url }, description: cutLabel(alt, MAX_ALT_LENGTH) }],
});

/** Renders text. `people` are mentioned, so that clients show their names; `allowed_mentions` keeps that from notifying them. */
function renderTexts(
  markdown: string,
  room: Room,
  { people = [], ownLinks }: Pick<Extract<CardPart, { kind: 'text' | 'note' }>, 'people' | 'ownLinks'> = {},
): APITextDisplayComponent[] {
  const clean = sanitizeExcept(markdown, ownLinks).trim();
  return renderText(
    people.reduce((text, id) => text.replaceAll(sanitize(formatMention(id)), formatMention(id)), clean),
    room,
  );
}

function renderText(text: string, room: Room): APITextDisplayComponent[] {
  const maxBytes = Math.max(0, room.bytes - OVERHEAD_BYTES);
  let content = cutSanitized(text, Math.max(0, room.characters));
  while (content !== '' && Buffer.byteLength(content) > maxBytes)
    content = cutSanitized(text, Math.floor(content.length * 0.9));
  if (content === '' || !reserveComponents(1, room)) return [];
  room.characters -= content.length;
  room.bytes -= Buffer.byteLength(content) + OVERHEAD_BYTES;
  return [{ type: TEXT_DISPLAY, content }];
}

/** Renders controls in rows: up to five buttons, or one choice. */
function renderRows(controls: readonly CardControl[], room: Room): APIActionRowComponent<ControlComponent>[] {
  const rows: ControlComponent[][] = [];
  let buttons: ControlComponent[] | undefined;
  for (const control of controls) {
    const component = renderControl(control);
    if (!component || room.ids.has(component.custom_id)) continue;
    const startsRow = control.kind === 'choice' || !buttons || buttons.length === MAX_BUTTONS_PER_ROW;
    if (!reserveComponents(startsRow ? 2 : 1, room)) break;
    room.ids.add(component.custom_id);
    if (!startsRow) {
      buttons?.push(component);
      continue;
    }
    const row = [component];
    rows.push(row);
    buttons = control.kind === 'choice' ? undefined : row;
  }
  return rows.map((components) => ({ type: ACTION_ROW, components }));
}

/** Undefined for a choice without options: Discord refuses it. */
function renderControl(control: CardControl): ControlComponent | undefined {
  if (control.kind === 'choice') return renderSelect(control);
  return {
    type: BUTTON,
    style: BUTTON_STYLES[control.style ?? 'plain'],
    label: cutLabel(control.label, MAX_LABEL_LENGTH),
    custom_id: serializeAction(control.action),
  };
}

function renderSelect(
  control: Extract<CardControl, { kind: 'choice' }>,
): APIStringSelectComponent | undefined {
  // Discord shows the selected option in place of the placeholder, so its label has to say what the menu is for.
  const labeled = control.options.map((option) =>
    option.value === control.chosen ? { ...option, label: `${control.label}: ${option.label}` } : option,
  );
  const options = renderOptions(labeled, control.chosen);
  const placeholder = truncateText(control.label, MAX_PLACEHOLDER_LENGTH);
  if (options.length === 0) return undefined;
  return { type: STRING_SELECT, custom_id: serializeAction(control.action), placeholder, options };
}
