import { isJson, type Json, listOf, numberOf, stringOf } from './json.ts';
import { keep, type PersonFile } from './persons.ts';
import { presentChannel, presentFile, presentUser } from './present.ts';
import type { Channel } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** The options of a command by name. People and channels are given by id. */
export type Given = Readonly<Record<string, string | number | boolean | PersonFile>>;

const OPTION = {
  sub: 1,
  group: 2,
  text: 3,
  integer: 4,
  yes: 5,
  user: 6,
  channel: 7,
  number: 10,
  file: 11,
} as const;

export type Filling = { readonly options: Json[]; readonly resolved: Json };

/**
 * The options of a command as Discord sends them, with resolved objects. Throws for a missing or unknown option, a
 * wrong type, a value beyond its limits, or not among its choices.
 */
export function optionsOf(
  context: SimulatorContext,
  channel: Channel,
  command: Json,
  sub: readonly string[],
  values: Given,
  focused: string | undefined,
): Filling {
  const defined = listOf(command['options']);
  const [name, ...rest] = sub;
  if (name !== undefined) {
    const inner = defined.find((one) => one['name'] === name && numberOf(one['type']) <= OPTION.group);
    if (!inner) throw new Error(`There is no subcommand ${name}`);
    const { options, resolved } = optionsOf(context, channel, inner, rest, values, focused);
    return { options: [{ type: numberOf(inner['type']), name, options }], resolved };
  }
  if (defined.some(({ type }) => numberOf(type) <= OPTION.group)) throw new Error('A subcommand is needed');
  const meant = new Map<string, Given[string]>();
  for (const [key, value] of Object.entries(values)) {
    const option = defined.find((one) => isNamed(one, key));
    if (!option) throw new Error(`There is no option ${key}`);
    meant.set(stringOf(option['name']), value);
  }
  const resolved: Json = {};
  const options = defined.flatMap((option) => {
    const key = stringOf(option['name']);
    const value = meant.get(key);
    if (value === undefined) {
      if (option['required'] === true && focused === undefined) throw new Error(`${key} is required`);
      return [];
    }
    const isFocused = focused !== undefined && isNamed(option, focused);
    const focus = isFocused ? { focused: true } : {};
    const type = numberOf(option['type']);
    return [
      { name: key, type, value: valueOf(context, channel, option, value, resolved, focused), ...focus },
    ];
  });
  return { options, resolved };
}

/** Whether the option is displayed under this name in any language. The app receives the registered name. */
export const isNamed = ({ name, name_localizations: names }: Json, label: string): boolean =>
  name === label || (isJson(names) && Object.values(names).includes(label));

function valueOf(
  context: SimulatorContext,
  channel: Channel,
  option: Json,
  value: Given[string],
  resolved: Json,
  focused: string | undefined,
): string | number | boolean {
  const type = numberOf(option['type']);
  const name = stringOf(option['name']);
  const add = (kind: string, id: string, entity: Json): string => {
    const entry = resolved[kind];
    resolved[kind] = { ...(isJson(entry) ? entry : {}), [id]: entity };
    return id;
  };
  if (typeof value === 'object') {
    if (type !== OPTION.file) throw new Error(`${name} takes no file`);
    const upload = context.state.files.get(keep(context, channel.id, value, true))?.file;
    return upload ? add('attachments', upload.id, presentFile(context, upload)) : '';
  }
  if (!FITS[type]?.(value)) throw new Error(`${name} takes another kind of value`);
  const choices = listOf(option['choices']).map((one) => JSON.stringify(one['value']));
  if (choices.length > 0 && focused !== name && !choices.includes(JSON.stringify(value)))
    throw new Error(`${name} is one of ${choices.join(', ')}`);
  if (type === OPTION.text) checkLength(option, String(value));
  if (type === OPTION.user) return add('users', String(value), presentUser(context, String(value)));
  const place = type === OPTION.channel ? context.state.channels.get(String(value)) : undefined;
  return place ? add('channels', place.id, presentChannel(context, place)) : value;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const FITS: Readonly<Record<number, (value: unknown) => boolean>> = {
  [OPTION.text]: isText,
  [OPTION.integer]: Number.isInteger,
  [OPTION.yes]: (value) => typeof value === 'boolean',
  [OPTION.user]: isText,
  [OPTION.channel]: isText,
  [OPTION.number]: isNumber,
};

function checkLength(option: Json, value: string): void {
  const maxLength = typeof option['max_length'] === 'number' ? option['max_length'] : 6_000;
  const least = typeof option['min_length'] === 'number' ? option['min_length'] : 0;
  if (value.length > maxLength || value.length < least)
    throw new Error(`${stringOf(option['name'])} takes ${least} to ${maxLength} characters`);
}
