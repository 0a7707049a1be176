import { isJson, type Json, listOf, numberOf, stringOf } from '../json.ts';
import type { Fault } from '../refusal.ts';
import { fault, lengthFaults, missing, type Path } from './faults.ts';

/** Types of components. */
export const KIND = {
  row: 1,
  button: 2,
  select: 3,
  input: 4,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  upload: 19,
} as const;

const SELECTS: readonly number[] = [3, 5, 6, 7, 8];
const LEGACY_MOST = 5;
const V2_MOST = 40;
const MEDIA_URL_MOST = 2_048;
const V2_TEXT_MOST = 4_000;
/** Above this Discord responds 500 (discord-api-docs#8554): bytes of UTF-8, plus 12 per text display. */
const V2_BYTES_MOST = 10_170;

/** The violations in the components of a message. `custom_id`s must differ. */
export function componentFaults(
  components: readonly Json[],
  v2: boolean,
  at: Path = ['components'],
): Fault[] {
  const all = components.flatMap(flat);
  const faults = components.flatMap((one, index) => topFaults(one, v2, [...at, index]));
  if (!v2 && components.length > LEGACY_MOST)
    faults.push(...lengthFaults(at, [...components], 1, LEGACY_MOST));
  if (v2 && all.length > V2_MOST)
    faults.push(
      fault(
        at,
        'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
        `The total number of components cannot exceed ${V2_MOST}`,
      ),
    );
  const texts = all.filter(({ type }) => type === KIND.text).map(({ content }) => stringOf(content));
  if (texts.reduce((sum, one) => sum + one.length, 0) > V2_TEXT_MOST)
    faults.push(
      fault(
        at,
        'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
        `The total length of displayable text cannot exceed ${V2_TEXT_MOST}`,
      ),
    );
  return [...faults, ...duplicateFaults(all, at)];
}

/** No two components may have the same `custom_id`, or the same `id` of their own. */
export function duplicateFaults(all: readonly Json[], at: Path): Fault[] {
  const customIds = all.map((one) => one['custom_id']).filter((id) => typeof id === 'string');
  const ids = all.map((one) => one['id']).filter((id) => typeof id === 'number' && id !== 0);
  return [
    ...(new Set(customIds).size < customIds.length
      ? [fault(at, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated')]
      : []),
    ...(new Set(ids).size < ids.length
      ? [fault(at, 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated')]
      : []),
  ];
}

/** True if Discord would respond 500 because of the size of these components. */
export function isTooManyBytes(components: readonly Json[]): boolean {
  const texts = components.flatMap(flat).filter(({ type }) => type === KIND.text);
  return (
    texts.reduce((sum, one) => sum + Buffer.byteLength(stringOf(one['content'])) + 12, 0) > V2_BYTES_MOST
  );
}

/** A component and all within it. */
export function flat(component: Json): Json[] {
  const { accessory, component: labelled } = component;
  const inner = [...listOf(component['components']), ...[accessory, labelled].filter(isJson)];
  return [component, ...inner.flatMap(flat)];
}

function topFaults(component: Json, v2: boolean, at: Path): Fault[] {
  const type = numberOf(component['type']);
  if (type === KIND.row) return rowFaults(component, at);
  const allowed: readonly number[] = [
    KIND.section,
    KIND.text,
    KIND.gallery,
    KIND.file,
    KIND.separator,
    KIND.container,
  ];
  if (!v2 || !allowed.includes(type)) return [typeFault(at, v2 ? '1, 9, 10, 12, 13, 14, 17' : '1,')];
  return v2Faults(component, type, at);
}

const typeFault = (at: Path, types: string): Fault =>
  fault([...at, 'type'], 'UNION_TYPE_CHOICES', `Value of field "type" must be one of (${types}).`);

/** Violations of a URL. Buttons may also link to the client: `discord://`. */
function urlFaults(at: Path, url: unknown, schemes: readonly string[]): Fault[] {
  const parsed = URL.parse(stringOf(url));
  if (parsed === null) return [fault(at, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')];
  const scheme = parsed.protocol.slice(0, -1);
  return schemes.includes(scheme)
    ? []
    : [
        fault(
          at,
          'URL_TYPE_INVALID_SCHEME',
          `Scheme "${scheme}" is not supported. Scheme must be one of (${schemes.map((one) => `'${one}'`).join(', ')}).`,
        ),
      ];
}

/** The violations of a component that only messages of components alone have, as if it were of this type. */
export function v2Faults(component: Json, type: number, at: Path): Fault[] {
  const inner = listOf(component['components']);
  const below: Path = [...at, 'components'];
  switch (type) {
    case KIND.text:
      return lengthFaults([...at, 'content'], component['content'] ?? '', 1, V2_TEXT_MOST);
    case KIND.section:
      return [
        ...lengthFaults(below, inner, 1, 3),
        ...(isJson(component['accessory'])
          ? accessoryFaults(component['accessory'], [...at, 'accessory'])
          : [missing([...at, 'accessory'])]),
        ...inner.flatMap((one, index) => v2Faults(one, KIND.text, [...below, index])),
      ];
    case KIND.gallery: {
      const items = listOf(component['items']);
      return [
        ...lengthFaults([...at, 'items'], items, 1, 10),
        ...items.flatMap(({ media }, index) =>
          isJson(media)
            ? urlFaults([...at, 'items', index, 'media', 'url'], media['url'], [
                'http',
                'https',
                'attachment',
              ])
            : [missing([...at, 'items', index, 'media'])],
        ),
        ...items.flatMap(({ media }, index) =>
          isJson(media)
            ? lengthFaults([...at, 'items', index, 'media', 'url'], media['url'], 1, MEDIA_URL_MOST)
            : [],
        ),
        ...items.flatMap(({ description }, index) =>
          lengthFaults([...at, 'items', index, 'description'], description, 1, 1_024),
        ),
      ];
    }
    case KIND.file: {
      const url = isJson(component['file']) ? stringOf(component['file']['url']) : '';
      return url.startsWith('attachment://')
        ? []
        : [fault([...at, 'file', 'url'], 'URL_TYPE_INVALID_SCHEME', 'Scheme must be "attachment".')];
    }
    case KIND.container:
      return [
        ...lengthFaults(below, inner, 1, V2_MOST),
        ...inner.flatMap((one, index) =>
          one['type'] === KIND.container
            ? [typeFault([...below, index], '1, 9, 10, 12, 13, 14')]
            : topFaults(one, true, [...below, index]),
        ),
      ];
    default:
      return [];
  }
}

function accessoryFaults(accessory: Json, at: Path): Fault[] {
  if (accessory['type'] === KIND.button) return buttonFaults(accessory, at);
  return accessory['type'] === KIND.thumbnail
    ? []
    : [fault([...at, 'type'], 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (2, 11).')];
}

function rowFaults(row: Json, at: Path): Fault[] {
  const inner = listOf(row['components']);
  const below: Path = [...at, 'components'];
  const selects = inner.filter(({ type }) => SELECTS.includes(numberOf(type)));
  const faults = lengthFaults(below, inner, 1, 5);
  if (selects.length > 0 && inner.length > 1)
    faults.push(
      fault(below, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width'),
    );
  return [
    ...faults,
    ...inner.flatMap((one, index) => {
      const here: Path = [...below, index];
      if (one['type'] === KIND.button) return buttonFaults(one, here);
      if (SELECTS.includes(numberOf(one['type']))) return selectFaults(one, here);
      return [
        fault(
          [...here, 'type'],
          'UNION_TYPE_CHOICES',
          'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).',
        ),
      ];
    }),
  ];
}

const STYLE = { least: 1, link: 5, premium: 6 } as const;

function buttonFaults(button: Json, at: Path): Fault[] {
  const style = numberOf(button['style']);
  const faults = lengthFaults([...at, 'label'], button['label'], 0, 80);
  if (style < STYLE.least || style > STYLE.premium)
    return [
      ...faults,
      fault([...at, 'style'], 'BASE_TYPE_CHOICES', 'Value must be one of (1, 2, 3, 4, 5, 6).'),
    ];
  if (style === STYLE.link)
    return [
      ...faults,
      ...(typeof button['url'] === 'string'
        ? [
            ...lengthFaults([...at, 'url'], button['url'], 1, 512),
            ...urlFaults([...at, 'url'], button['url'], ['http', 'https', 'discord']),
          ]
        : [missing([...at, 'url'])]),
      ...(button['custom_id'] === undefined
        ? []
        : [
            fault(
              at,
              'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
              'A custom id and url cannot both be specified',
            ),
          ]),
    ];
  if (style === STYLE.premium) return faults;
  if (stringOf(button['label']) === '' && !isJson(button['emoji']))
    faults.push(fault(at, 'BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED', 'A label or an emoji is required'));
  return [...faults, ...customIdFaults(button, at)];
}

/** Every interactive component has a `custom_id`. */
export function customIdFaults(component: Json, at: Path): Fault[] {
  const id = component['custom_id'];
  return typeof id === 'string'
    ? lengthFaults([...at, 'custom_id'], id, 1, 100)
    : [missing([...at, 'custom_id'])];
}

/** The violations of a menu. It must have as many options as one may choose. */
export function selectFaults(select: Json, at: Path): Fault[] {
  const faults = [
    ...customIdFaults(select, at),
    ...lengthFaults([...at, 'placeholder'], select['placeholder'], 0, 150),
  ];
  if (select['type'] !== KIND.select) return faults;
  const options = listOf(select['options']);
  const { max_values: maxValues = 1 } = select;
  const values = options.map(({ value }) => value);
  if (new Set(values).size < values.length)
    faults.push(
      fault(
        [...at, 'options'],
        'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
        'The specified option value is already used',
      ),
    );
  return [
    ...faults,
    ...lengthFaults([...at, 'options'], options, Math.max(1, numberOf(maxValues)), 25),
    ...options.flatMap((option, index) => {
      const here: Path = [...at, 'options', index];
      return [
        ...lengthFaults([...here, 'label'], option['label'] ?? '', 1, 100),
        ...lengthFaults([...here, 'value'], option['value'] ?? '', 1, 100),
        ...lengthFaults([...here, 'description'], option['description'], 0, 100),
      ];
    }),
  ];
}
