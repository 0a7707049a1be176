import { isDeepStrictEqual } from 'node:util';
import type { DiscordCommand } from './discord-commands.ts';

/** The changes that registering would make. Each line has a sign and the name of a command. */
export type CommandDifference = {
  readonly lines: readonly string[];
  readonly hasChanges: boolean;
  /** The commands to send: all of ours, and Discord's own that must stay. */
  readonly commands: readonly DiscordCommand[];
};

/** The type of the entry point for Activities. Discord creates it, and would delete it if it were omitted. */
const ENTRY_POINT = 4;
/** Command fields that this project sets; Discord adds others. */
const OWN_FIELDS = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'options',
  'integration_types',
  'contexts',
  'required',
  'choices',
  'value',
  'min_value',
  'max_value',
  'max_length',
  'autocomplete',
  'file_types',
];

/** Compares the registered commands with the wanted ones. */
export function compareCommands(
  registered: readonly DiscordCommand[],
  wanted: readonly DiscordCommand[],
): CommandDifference {
  const comparable = registered.filter((command) => command['type'] === ENTRY_POINT);
  const registeredByKey = new Map(
    registered
      .filter((command) => !comparable.includes(command))
      .map((command) => [getKey(command), command]),
  );
  const lines = wanted.flatMap((command) => {
    const before = registeredByKey.get(getKey(command));
    if (!before) return [`+ ${getDisplayName(command)}`];
    const fields = findChangedFields(before, command);
    return fields.length > 0 ? [`~ ${getDisplayName(command)} (${fields.join(', ')})`] : [];
  });
  const wantedKeys = new Set(wanted.map(getKey));
  const removedLines = [...registeredByKey]
    .filter(([key]) => !wantedKeys.has(key))
    .map(([, command]) => `- ${getDisplayName(command)}`);
  const hasChanges = lines.length + removedLines.length > 0;
  const keptLines = comparable.map(
    (command) => `= ${getDisplayName(command)} (the entry point of Activities stays)`,
  );
  return {
    lines: [...lines, ...removedLines, ...keptLines],
    hasChanges,
    commands: [...wanted, ...comparable.map(keepAcceptedFields)],
  };
}

const getType = (command: DiscordCommand): unknown => command['type'] ?? 1;
const getKey = (command: DiscordCommand): string => JSON.stringify([getType(command), command['name']]);
const getDisplayName = (command: DiscordCommand): string =>
  `${getType(command) === 1 ? '/' : ''}${typeof command['name'] === 'string' ? command['name'] : '?'}`;

function findChangedFields(before: DiscordCommand, after: DiscordCommand): string[] {
  return OWN_FIELDS.filter((field) => !isDeepStrictEqual(normalize(before[field]), normalize(after[field])));
}

/** Removes empty values and sorts keys, so that equal commands compare equal. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(normalize) : undefined;
  if (value === null || value === false || value === '') return undefined;
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, normalize(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Keeps the fields that Discord accepts for its own command. */
function keepAcceptedFields(command: DiscordCommand): DiscordCommand {
  const fields = new Set([...OWN_FIELDS, 'handler', 'default_member_permissions', 'nsfw']);
  const comparable = Object.entries(command).filter(([name, value]) => fields.has(name) && value !== null);
  return Object.fromEntries(comparable);
}
