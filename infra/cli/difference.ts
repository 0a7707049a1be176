import { isDeepStrictEqual } from 'node:util';
import type { DiscordCommand } from './discord-commands.ts';

/** What registering would change. Each line names a command, with what becomes of it before its name. */
export type Difference = {
  readonly lines: readonly string[];
  readonly changes: boolean;
  /** What is to be sent: all commands, and what of Discord's own has to stay. */
  readonly whole: readonly DiscordCommand[];
};

/** The entry point of Activities, which Discord makes by itself: left out, it would be deleted. */
const ENTRY_POINT = 4;
/** What is ours to say of a command; all else Discord adds. */
const OURS = [
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

/** Compares what Discord has with what it is to have. */
export function difference(have: readonly DiscordCommand[], want: readonly DiscordCommand[]): Difference {
  const kept = have.filter((one) => one['type'] === ENTRY_POINT);
  const old = new Map(have.filter((one) => !kept.includes(one)).map((one) => [keyOf(one), one]));
  const lines = want.flatMap((one) => {
    const before = old.get(keyOf(one));
    if (!before) return [`+ ${nameOf(one)}`];
    const fields = changed(before, one);
    return fields.length > 0 ? [`~ ${nameOf(one)} (${fields.join(', ')})`] : [];
  });
  const wanted = new Set(want.map(keyOf));
  const gone = [...old].filter(([key]) => !wanted.has(key)).map(([, one]) => `- ${nameOf(one)}`);
  const changes = lines.length + gone.length > 0;
  const stays = kept.map((one) => `= ${nameOf(one)} (the entry point of Activities stays)`);
  return { lines: [...lines, ...gone, ...stays], changes, whole: [...want, ...kept.map(forDiscord)] };
}

const typeOf = (command: DiscordCommand): unknown => command['type'] ?? 1;
const keyOf = (command: DiscordCommand): string => JSON.stringify([typeOf(command), command['name']]);
const nameOf = (command: DiscordCommand): string =>
  `${typeOf(command) === 1 ? '/' : ''}${typeof command['name'] === 'string' ? command['name'] : '?'}`;

function changed(before: DiscordCommand, after: DiscordCommand): string[] {
  return OURS.filter((field) => !isDeepStrictEqual(plain(before[field]), plain(after[field])));
}

/** Without what says nothing, and in an order that says nothing. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(plain) : undefined;
  if (value === null || value === false || value === '') return undefined;
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, plain(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** What Discord takes back of a command of its own. */
function forDiscord(command: DiscordCommand): DiscordCommand {
  const fields = new Set([...OURS, 'handler', 'default_member_permissions', 'nsfw']);
  const kept = Object.entries(command).filter(([name, value]) => fields.has(name) && value !== null);
  return Object.fromEntries(kept);
}
