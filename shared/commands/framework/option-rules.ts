import type { CommandSpec, Options, OptionSpec } from './command-spec.ts';

/** What another option has to be: one of these values, if it has any; given; or not given. */
export type OptionNeed = readonly string[] | 'given' | 'absent';

/** What an option means beside others. Not part of the spec, which the fronts hold. */
export type OptionRule = {
  /** The choice that counts where nobody makes one. */
  readonly usual?: string;
  /** It means something only where other options are like this: whoever gives it elsewhere is told so. */
  readonly onlyWith?: Readonly<Record<string, OptionNeed>>;
  /** It has to be there where another option is one of these. */
  readonly requiredWith?: Readonly<Record<string, readonly string[]>>;
};

/** The rules of a command, by the names of its options. */
export type OptionRules = Readonly<Partial<Record<string, OptionRule>>>;
export type RulesOf<S extends CommandSpec> = Readonly<
  Partial<Record<S['options'][number]['name'], OptionRule>>
>;

/** What another option would have to be. */
export type OptionConflict = { readonly name: string; readonly need: OptionNeed };

/** An option that is missing, or that means nothing beside what else was given. */
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

/** The first rule that the given options break. */
export function brokenRule(spec: CommandSpec, rules: OptionRules, options: Options): BrokenRule | undefined {
  const valueOf = (name: string) => options[name] ?? rules[name]?.usual;
  // Said no to, an option is as good as not given.
  const isGiven = (name: string) => options[name] !== undefined && options[name] !== false;
  const isMet = (name: string, need: OptionNeed): boolean => {
    if (typeof need === 'string') return isGiven(name) === (need === 'given');
    const value = valueOf(name);
    return value === undefined || need.some((one) => one === value);
  };
  for (const option of spec.options) {
    const { onlyWith = {}, requiredWith = {} } = rules[option.name] ?? {};
    const unmet = Object.entries(onlyWith).find(([name, need]) => !isMet(name, need));
    if (unmet && isGiven(option.name))
      return { kind: 'misplaced', spec, option, beside: { name: unmet[0], need: unmet[1] } };
    const isNeeded = Object.entries(requiredWith).some(([name, values]) =>
      values.some((one) => one === valueOf(name)),
    );
    if (isNeeded && options[option.name] === undefined)
      return { kind: 'wrong', spec, option, why: 'missing' };
  }
  return undefined;
}
