import { isJson, type Json, listOf, numberOf, stringOf } from '../json.ts';
import type { Fault } from '../refusal.ts';
import { fault, lengthFaults, missing, type Path, unknownFields } from './faults.ts';

export const COMMAND = { slash: 1, user: 2, message: 3, entryPoint: 4 } as const;

const FIELDS = [
  'id',
  'application_id',
  'guild_id',
  'version',
  'type',
  'name',
  'name_localizations',
  'name_localized',
  'description',
  'description_localizations',
  'description_localized',
  'options',
  'default_member_permissions',
  'default_permission',
  'dm_permission',
  'nsfw',
  'integration_types',
  'contexts',
  'handler',
];
const OPTION_FIELDS = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'required',
  'choices',
  'options',
  'channel_types',
  'min_value',
  'max_value',
  'min_length',
  'max_length',
  'autocomplete',
  'file_types',
];

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = new Set(
  'id en-US en-GB bg zh-CN zh-TW hr cs da nl fi fr de el hi hu it ja ko lt no pl pt-BR ro ru es-ES es-419 sv-SE th tr uk vi'.split(
    ' ',
  ),
);
const SIZE_MOST = 8_000;

/** The violations of a command, including those that the specification does not cover. */
export function commandFaults(command: Json, at: Path = []): Fault[] {
  const type = typeof command['type'] === 'number' ? command['type'] : COMMAND.slash;
  const slash = type === COMMAND.slash;
  const options = listOf(command['options']);
  const faults = [...unknownFields(at, command, FIELDS), ...namesFaults(command, at, slash)];
  const description = stringOf(command['description']);
  if (slash) {
    faults.push(
      ...(description === ''
        ? [missing([...at, 'description'])]
        : lengthFaults([...at, 'description'], description, 1, 100)),
      ...localFaults(
        command['description_localizations'],
        [...at, 'description_localizations'],
        (text, here) => lengthFaults(here, text, 1, 100),
      ),
    );
  } else if (type !== COMMAND.entryPoint && (description !== '' || options.length > 0))
    faults.push(
      fault(
        [...at, 'description'],
        'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
        'Context menu commands cannot have description',
      ),
    );
  faults.push(...optionsFaults(options, [...at, 'options']));
  if (sizeOf(command) > SIZE_MOST)
    faults.push(fault(at, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${SIZE_MOST})`));
  return faults;
}

const typeOf = ({ type }: Json): number => (typeof type === 'number' ? type : COMMAND.slash);

/** Violations of a whole set: too many of a type, or a duplicate name. */
export function setFaults(commands: readonly Json[]): Fault[] {
  const maxCounts: Readonly<Record<number, number>> = { 1: 100, 2: 15, 3: 15, 4: 1 };
  const over = Object.entries(maxCounts).filter(
    ([type, count]) => commands.filter((one) => typeOf(one) === Number(type)).length > count,
  );
  return [
    ...over.map(([type, count]) =>
      fault([], 'APPLICATION_COMMANDS_MAX', `At most ${count} commands of type ${type}`),
    ),
    ...twice(commands, typeOf).map((index) =>
      fault([index], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique'),
    ),
  ];
}

/** The commands with the same displayed name as an earlier one of the same type, in some language. */
function twice(entries: readonly Json[], kindOf: (one: Json) => number = () => 0): number[] {
  const usedNames = new Set<string>();
  return entries.flatMap((one, index) => {
    const names = isJson(one['name_localizations']) ? one['name_localizations'] : {};
    const labels = ['', ...LOCALES].map(
      (locale) => `${kindOf(one)} ${locale} ${stringOf(names[locale] ?? one['name'])}`,
    );
    const again = labels.some((name) => usedNames.has(name));
    for (const name of labels) usedNames.add(name);
    return again ? [index] : [];
  });
}

function namesFaults(entry: Json, at: Path, strict: boolean): Fault[] {
  const check = (name: string, here: Path): Fault[] =>
    strict && (!NAME.test(name) || name !== name.toLowerCase())
      ? [fault(here, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')]
      : lengthFaults(here, name, 1, 32);
  return [
    ...(typeof entry['name'] === 'string'
      ? check(entry['name'], [...at, 'name'])
      : [missing([...at, 'name'])]),
    ...localFaults(entry['name_localizations'], [...at, 'name_localizations'], check),
  ];
}

function localFaults(texts: unknown, at: Path, check: (text: string, at: Path) => Fault[]): Fault[] {
  if (!isJson(texts)) return [];
  return Object.entries(texts).flatMap(([locale, text]) => [
    ...(LOCALES.has(locale) ? [] : [fault([...at, locale], 'BASE_TYPE_CHOICES', `Unknown locale ${locale}`)]),
    ...check(stringOf(text), [...at, locale]),
  ]);
}

function optionsFaults(options: readonly Json[], at: Path): Fault[] {
  const firstOptional = options.findIndex(({ required }) => required !== true);
  return [
    ...lengthFaults(at, [...options], 0, 25),
    ...twice(options).map((index) =>
      fault([...at, index], 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', 'Option name is already used'),
    ),
    ...options.flatMap((option, index) => {
      const here: Path = [...at, index];
      const late = option['required'] === true && firstOptional !== -1 && firstOptional < index;
      return [
        ...(late
          ? [
              fault(
                here,
                'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
                'Required options must be placed before non-required options',
              ),
            ]
          : []),
        ...optionFaults(option, here),
      ];
    }),
  ];
}

function optionFaults(option: Json, at: Path): Fault[] {
  const type = numberOf(option['type']);
  const choices = listOf(option['choices']);
  const description = stringOf(option['description']);
  const faults = [...unknownFields(at, option, OPTION_FIELDS), ...namesFaults(option, at, true)];
  if (type < 1 || type > 11)
    faults.push(fault([...at, 'type'], 'BASE_TYPE_CHOICES', 'Value must be one of (1 to 11).'));
  if (description === '') faults.push(missing([...at, 'description']));
  if (option['autocomplete'] === true && choices.length > 0)
    faults.push(
      fault(
        [...at, 'autocomplete'],
        'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES',
        'Choices and autocomplete exclude each other',
      ),
    );
  return [
    ...faults,
    ...lengthFaults([...at, 'description'], description, 0, 100),
    ...localFaults(option['description_localizations'], [...at, 'description_localizations'], (text, here) =>
      lengthFaults(here, text, 1, 100),
    ),
    ...choiceFaults(choices, [...at, 'choices']),
    ...optionsFaults(listOf(option['options']), [...at, 'options']),
  ];
}

/** The violations in the choices of an option or of an autocomplete response. */
export function choiceFaults(choices: readonly Json[], at: Path): Fault[] {
  return [
    ...lengthFaults(at, [...choices], 0, 25),
    ...choices.flatMap((choice, index) => {
      const { value } = choice;
      return [
        ...lengthFaults([...at, index, 'name'], choice['name'] ?? '', 1, 100),
        ...localFaults(choice['name_localizations'], [...at, index, 'name_localizations'], (text, here) =>
          lengthFaults(here, text, 1, 100),
        ),
        ...(typeof value === 'string' ? lengthFaults([...at, index, 'value'], value, 0, 100) : []),
        ...(value === undefined ? [missing([...at, index, 'value'])] : []),
      ];
    }),
  ];
}

/** The characters of all names, descriptions and values; of localized texts the longest counts. */
function sizeOf(entry: Json): number {
  const inner = [...listOf(entry['options']), ...listOf(entry['choices'])];
  return (
    longest(entry['name'], entry['name_localizations']) +
    longest(entry['description'], entry['description_localizations']) +
    stringOf(entry['value']).length +
    inner.reduce((sum, one) => sum + sizeOf(one), 0)
  );
}

function longest(text: unknown, local: unknown): number {
  const texts = [text, ...(isJson(local) ? Object.values(local) : [])];
  return Math.max(...texts.map((one) => stringOf(one).length));
}
