import type { CardAction, PlatformName } from '../../domain/index.ts';
import type { PresetKind } from '../../settings/rules/index.ts';
import type { LocalizedText } from '../../i18n/index.ts';

/** The values of the options of a command, by name. */
export type Options = Readonly<Record<string, string | number | boolean>>;

/**
 * A command on both platforms. Only data, so that a front's bundle contains nothing else of the command. In Slack, its name
 * follows the deployment's slash command (`/parley ask ...`); in Discord, it is a slash command of its own.
 */
export type CommandSpec = {
  /** Lower-case letters and `-`, at most 32. */
  readonly name: string;
  /** All if absent. */
  readonly platforms?: readonly PlatformName[];
  /**
   * Who sees the response; ephemeral if absent. Discord requires the decision before the command runs. The options `private`
   * and `schema` make a public response ephemeral.
   */
  readonly answers?: 'public';
  /** Required options come first. In Slack, words are assigned in this order; `name:value` sets any option. */
  readonly options: readonly OptionSpec[];
  /** The command in the menu of a person (Discord only): its English label, and the option that receives the person. */
  readonly personMenu?: { readonly label: string; readonly option: string };
  readonly opens?: FindOpeningAction;
};

/** Returns the action whose modal opens instead, if options are missing. See `forms/registry.ts`. */
export type FindOpeningAction = (options: Options) => CardAction | undefined;

/** What Discord's front needs of a command. The options that the worker parses are not part of it. */
export type DiscordFrontCommand = Pick<CommandSpec, 'name' | 'answers' | 'personMenu' | 'opens'> & {
  /** The values for autocompletion, by option. */
  readonly suggests?: Readonly<Record<string, Autocompletion>>;
};

/** A command in the menu of a message: Slack's message shortcut, Discord's message command. */
export type MessageCommandSpec = {
  /** Slack's `callback_id`, and the name in interactions. Ends in `-form` if the command opens a modal. */
  readonly name: string;
  /** The English label, which is also the name in Discord's interactions; at most 24 characters. */
  readonly label: string;
  readonly platforms?: readonly PlatformName[];
  readonly answers?: 'public';
};

export type OptionSpec = {
  readonly name: string;
  readonly required?: boolean;
} & (
  | {
      readonly kind: 'text';
      /** Maximum length in characters; 200 if absent. */
      readonly max?: number;
      readonly choices?: readonly string[];
      /** Keeps mentions in the platform's format; without this, they become names. */
      readonly mentions?: true;
      /** The values for autocompletion (Discord only). */
      readonly suggests?: Autocompletion;
      /** Takes all remaining words (Slack only). */
      readonly rest?: true;
    }
  | {
      readonly kind: 'number';
      readonly min: number;
      readonly max: number;
      /** Also accepts decimal numbers. */
      readonly decimal?: true;
    }
  | { readonly kind: 'yes-no' }
  | { readonly kind: 'user' }
  /** Discord only: Slack's commands have no attachments. */
  | { readonly kind: 'attachment'; readonly types: readonly string[] }
);

export type Autocompletion = 'model' | PresetKind;

/** The texts of a command's file in every language, by key. */
export type Texts = Readonly<Record<string, LocalizedText>>;

/**
 * The required texts of a command: `name` and `about`; for an option `days`, `days.name` and `days.about`; for its choice
 * `all`, `days=all`; `personMenu` for the menu of a person. Names follow Discord's rules: lower-case letters, digits, `-` and
 * `_`, at most 32 characters, unique per language. Other texts of the command may follow.
 */
export type TextsOf<S extends CommandSpec> = Texts &
  Readonly<
    Record<
      'name' | 'about' | OptionTexts<S['options'][number]> | Extract<keyof S, 'personMenu'>,
      LocalizedText
    >
  >;

type OptionTexts<O> = O extends { readonly name: infer N extends string }
  ?
      | `${N}.${'name' | 'about'}`
      | (O extends { readonly choices: readonly (infer C extends string)[] } ? `${N}=${C}` : never)
  : never;

/** The label in the menu of a message; in English the same as `label` of the spec. */
export type MessageCommandTexts = Texts & { readonly messageCommand: LocalizedText };

/** Returns whether a command exists on a platform. */
export const isOnPlatform = (
  { platforms }: Pick<CommandSpec, 'platforms'>,
  platform: PlatformName,
): boolean => platforms?.includes(platform) ?? true;

/** Discord's limit, in characters. */
export const MAX_OPTION_LENGTH = 6_000;

/** Returns whether the response is ephemeral. */
export function isPrivate(
  { answers }: Pick<CommandSpec, 'answers'>,
  options: Readonly<Record<string, unknown>> = {},
): boolean {
  return answers !== 'public' || options['private'] === true || options['schema'] !== undefined;
}
