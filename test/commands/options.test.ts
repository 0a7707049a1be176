import { describe, expect, test } from '@jest/globals';
import { COMMANDS, FILES } from '../../shared/commands/command-list.ts';
import type { CommandSpec, OptionSpec } from '../../shared/commands/framework/command-spec.ts';
import { byName, type Command, type OptionState, optionHarness, PERSON } from './option-harness.ts';
import type { Row } from './option-row.ts';
import { ROWS } from './option-rows.ts';

const PLATFORMS = ['slack', 'discord'] as const;
type Platform = (typeof PLATFORMS)[number];

type Case = {
  readonly command: string;
  readonly option: OptionSpec;
  readonly key: string;
  readonly choice: string;
};

/** Every option of every command, and every choice of those that have choices. */
const CASES: readonly Case[] = COMMANDS.flatMap((spec) =>
  spec.options.flatMap((option) =>
    (option.kind === 'text' && option.choices ? option.choices : ['']).map((choice) => ({
      command: spec.name,
      option,
      key: `${spec.name} ${option.name}`,
      choice,
    })),
  ),
);

const isRow = (of: Row | Readonly<Record<string, Row>>): of is Row =>
  'promises' in of && of.promises instanceof RegExp;

function rowOf({ key, choice }: Pick<Case, 'key' | 'choice'>): Row {
  const of = ROWS[key];
  const row = of && (isRow(of) ? of : of[choice]);
  if (!row) throw new Error(`test/commands/option-rows.ts has no row for ${key} ${choice}`);
  return row;
}

/** What comes of a call in a world of its own, after the calls before it. */
async function outcome(
  platform: Platform,
  row: Pick<Row, 'before'>,
  command: Command,
  text = byName(command),
) {
  const harness = await optionHarness(platform);
  for (const [name, options] of row.before ?? [])
    await (platform === 'slack' ? harness.type(byName({ name, options })) : harness.give({ name, options }));
  return harness.call(text, command);
}

test('every option and choice of every spec has a row, and no row is left over', () => {
  const wanted = new Set(CASES.map(({ key }) => key));
  expect(new Set(Object.keys(ROWS))).toEqual(wanted);
  for (const one of CASES) expect(() => rowOf(one)).not.toThrow();
  for (const [key, of] of Object.entries(ROWS)) {
    const choices = CASES.filter((one) => one.key === key).map(({ choice }) => choice);
    expect([key, isRow(of) ? [''] : Object.keys(of)]).toEqual([key, choices]);
  }
});

describe.each(PLATFORMS)('on %s', (platform) => {
  const here = CASES.filter(({ option }) => platform === 'discord' || option.kind !== 'attachment');

  test.each(here)('$key $choice changes what it promises', async (one) => {
    const row = rowOf(one);
    const { options } = row;
    expect(Object.keys(options)).toContain(one.option.name);
    const command = { name: one.command, options };
    const withIt = await outcome(platform, row, command);
    const promises = platform === 'slack' ? (row.onSlack ?? row.promises) : row.promises;
    expect(withIt.response + withIt.changed).toMatch(promises);
    expect(withIt.isRefusal && row.onSlack === undefined).toBe(false);
    const { [one.option.name]: _, ...rest } = options;
    const without = await outcome(platform, row, { name: one.command, options: rest });
    expect(JSON.stringify(withIt) === JSON.stringify(without)).toBe(row.usual === true);
  });

  const invalid = here.flatMap((one) => {
    const wrong = wrongFor(one.option, platform);
    return wrong === undefined ? [] : [{ ...one, wrong }];
  });

  test.each(invalid)('$key $choice explains an invalid value', async ({ wrong, ...one }) => {
    const row = rowOf(one);
    const command = { name: one.command, options: { ...row.options, [one.option.name]: wrong } };
    const { response, changed, isRefusal } = await outcome(platform, row, command);
    expect([response, isRefusal]).toEqual([expect.stringMatching(/"tone":"bad"/u), true]);
    expect(changed).toBe((await outcome(platform, row, { name: 'why', options: {} })).changed);
  });

  test.each(misplaced(platform))(
    '$name with $options is explained, and nothing is changed',
    async (command) => {
      const { response, changed } = await outcome(platform, {}, command);
      expect(response).toMatch(/"tone":"bad"[^}]*(?:needs|cannot be combined)/u);
      expect(changed).toBe((await outcome(platform, {}, { name: 'why', options: {} })).changed);
    },
  );
});

test.each(CASES.flatMap((one) => rowOf(one).typed ?? []))(
  '%s: without the names of options it is the same',
  async (text) => {
    const one = CASES.find((of) => rowOf(of).typed === text);
    const row = rowOf(one ?? { key: '', choice: '' });
    const command = { name: one?.command ?? '', options: row.options };
    expect(await outcome('slack', row, command, text)).toEqual(await outcome('slack', row, command));
  },
);

/** What is no value of an option; undefined where anything is one, or where the platform itself lets nobody give another. */
function wrongFor(option: OptionSpec, platform: Platform): string | number | undefined {
  switch (option.kind) {
    case 'text':
      if (option.choices) return 'bogus';
      return platform === 'slack' ? 'x'.repeat((option.max ?? 200) + 1) : undefined;
    case 'number':
      return platform === 'slack' ? 'many' : option.max + 1;
    case 'yes-no':
      return platform === 'slack' ? 'perhaps' : undefined;
    case 'user':
      return platform === 'slack' ? '@nobodyatall' : '49';
    case 'attachment':
      return undefined;
  }
}

/** For each rule of a command, the calls that break it. */
function misplaced(platform: Platform): Command[] {
  return FILES.flatMap(({ spec, rules = {} }) => {
    if (!spec) return [];
    return Object.entries(rules).flatMap(([name, { onlyWith = {} } = {}]) =>
      Object.entries(onlyWith).flatMap(([other, need]) =>
        otherwise(spec, other, need).map((more): Command => ({
          name: spec.name,
          options: { ...needed(spec, name, more), ...more, [name]: valueFor(spec, name) },
        })),
      ),
    );
  }).filter(({ options }) => platform === 'discord' || !('attachment' in options || 'image' in options));
}

function otherwise(
  spec: CommandSpec,
  other: string,
  need: readonly string[] | 'given' | 'absent',
): OptionState[] {
  if (need === 'given') return [{}];
  if (need === 'absent') return [{ [other]: valueFor(spec, other) }];
  const option = spec.options.find((one) => one.name === other);
  const choices = option?.kind === 'text' ? (option.choices ?? []) : [];
  return choices.filter((choice) => !need.includes(choice)).map((choice) => ({ [other]: choice }));
}

/** What has to be there so that the rule that is broken is the one that is meant. */
function needed(spec: CommandSpec, name: string, more: OptionState): OptionState {
  if (spec.name === 'quota' && !('do' in more)) return { do: 'set', amount: '5/day' };
  if (spec.name === 'quota' && more['do'] === 'zone') return { amount: 'UTC' };
  if (spec.name === 'quota' && name !== 'who') return { who: PERSON };
  if (name !== 'name' && (spec.name === 'persona' || spec.name === 'schema')) return { name: 'pirate' };
  return spec.name === 'ask' && name !== 'question' ? { question: 'Why?' } : {};
}

function valueFor(spec: CommandSpec, name: string): string | number | boolean {
  const of = ROWS[`${spec.name} ${name}`];
  const row = of && (isRow(of) ? of : Object.values(of)[0]);
  return row?.options[name] ?? PERSON;
}
