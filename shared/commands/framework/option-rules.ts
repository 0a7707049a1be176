import type { CommandSpec, Options, OptionSpec } from './command-spec.ts';

/** A requirement on another option: one of these values (or none at all), given, or absent. */
export type OptionNeed = readonly string[] | 'given' | 'absent';

/** The dependencies of an option on others. Not part of the spec, which the bundles of the fronts contain. */
export type OptionRule = {
  /** The choice that applies if the option is absent. */
  readonly default?: string;
  /** The option is only valid if other options meet these requirements. */
  readonly onlyWith?: Readonly<Record<string, OptionNeed>>;
  /** The option is required if another option has one of these values. */
  readonly requiredWith?: Readonly<Record<string, readonly string[]>>;
};

/** The rules of a command, by the names of its options. */
export type OptionRules = Readonly<Partial<Record<string, OptionRule>>>;
export type RulesOf<S extends CommandSpec> = Readonly<
  Partial<Record<S['options'][number]['name'], OptionRule>>
>;

/** A requirement that is not met. */
export type OptionConflict = { readonly name: string; readonly need: OptionNeed };

/** An option that is missing, or not valid with the other options. */
export type BrokenRule =
  | {
      readonly kind: 'wrong';
      readonly spec: CommandSpec;
      readonly option: OptionSpec;
      readonly why: 'missing';
    }
  | {
      readonly kind: 'misplaced';
      readonly spec: CommandSpec;
      readonly option: OptionSpec;
      readonly beside: OptionConflict;
    };

/** Returns the first rule that the options break. */
export function findBrokenRule(
  spec: CommandSpec,
  rules: OptionRules,
  options: Options,
): BrokenRule | undefined {
  const getValue = (name: string) => options[name] ?? rules[name]?.default;
  // An option with the value no counts as absent.
  const isGiven = (name: string) => options[name] !== undefined && options[name] !== false;
  const isMet = (name: string, need: OptionNeed): boolean => {
    if (typeof need === 'string') return isGiven(name) === (need === 'given');
    const value = getValue(name);
    return value === undefined || need.some((one) => one === value);
  };
  for (const option of spec.options) {
    const { onlyWith = {}, requiredWith = {} } = rules[option.name] ?? {};
    const unmet = Object.entries(onlyWith).find(([name, need]) => !isMet(name, need));
    if (unmet && isGiven(option.name))
      return { kind: 'misplaced', spec, option, beside: { name: unmet[0], need: unmet[1] } };
    const isNeeded = Object.entries(requiredWith).some(([name, values]) =>
      values.some((one) => one === getValue(name)),
    );
    if (isNeeded && options[option.name] === undefined)
      return { kind: 'wrong', spec, option, why: 'missing' };
  }
  return undefined;
}
