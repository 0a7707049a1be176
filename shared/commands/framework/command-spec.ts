import type { CardAction, PlatformName } from '../../domain/index.ts';
import type { PresetKind } from '../../settings/rules/index.ts';
import type { LocalizedText } from '../../i18n/index.ts';

/** What a call gave, by the names of options. */
export type Options = Readonly<Record<string, string | number | boolean>>;

/**
 * A command, told once for both platforms: pure, so that a front holds it and nothing else. In Slack its name is the
 * first word behind the one command of the deployment (`/parley ask ...`), in Discord a command of its own.
 */
export type CommandSpec = {
  /** Lower-case letters and `-`, at most 32. */
  readonly name: string;
  /** All, unless told otherwise. */
  readonly platforms?: readonly PlatformName[];
  /**
   * Who sees what comes of it: who called alone, unless this says otherwise. Discord wants to know before anything is done. The options `private` and `schema` make a
   * public one private.
   */
  readonly answers?: 'public';
  /** Required ones come first. In Slack, words fill them in this order; `name:value` fills any. */
  readonly options: readonly OptionSpec[];
  /** Where people have menus too (Discord): what the menu shows in English, and the option that the person becomes. */
  readonly onPerson?: { readonly label: string; readonly option: string };
  /** The action whose form it opens instead of running, for options that leave something to fill in. See `forms.ts`. */
  readonly opens?: (options: Options) => CardAction | undefined;
};

/** A command in the menu of a message: Slack's message shortcut, Discord's message command. */
export type MessageCommandSpec = {
  /** Slack's `callback_id`, and how calls name it. It ends in `-form` if the command opens a form. */
  readonly name: string;
  /** What the menu shows in English, by which Discord names it in a call: at most 24 characters. */
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
      /** Characters at most; 200 unless told otherwise. */
      readonly most?: number;
      readonly choices?: readonly string[];
      /** Whom it mentions is kept as the platform writes it; elsewhere mentions become names. */
      readonly mentions?: true;
      /** What is suggested while it is typed, where the platform can: see `suggest`. */
      readonly suggests?: Autocompletion;
      /** In Slack it takes all words that are left. */
      readonly rest?: true;
    }
  | {
      readonly kind: 'number';
      readonly least: number;
      readonly most: number;
      /** Not whole ones alone. */
      readonly decimal?: true;
    }
  | { readonly kind: 'yes-no' }
  | { readonly kind: 'user' }
  /** Discord only: Slack's commands carry no files. */
  | { readonly kind: 'attachment'; readonly types: readonly string[] }
);

export type Autocompletion = 'model' | PresetKind;

/** What a command's file says, in every language, by name. */
export type Texts = Readonly<Record<string, LocalizedText>>;

/**
 * What people are shown of a command: its `name` and what it is `about`; of an option `days` its `days.name` and `days.about`, and of
 * its choice `all` what `days=all` says; `onPerson` in a person's menu. Names are as Discord wants them: small letters, digits, `-` and `_`, 32
 * at most, each of them once in a language. Whatever else the command says may stand beside them.
 */
export type TextsOf<S extends CommandSpec> = Texts &
  Readonly<
    Record<'name' | 'about' | OptionTexts<S['options'][number]> | Extract<keyof S, 'onPerson'>, LocalizedText>
  >;

type OptionTexts<O> = O extends { readonly name: infer N extends string }
  ?
      | `${N}.${'name' | 'about'}`
      | (O extends { readonly choices: readonly (infer C extends string)[] } ? `${N}=${C}` : never)
  : never;

/** What the menu of a message shows: in English the label. */
export type OnMessageTexts = Texts & { readonly onMessage: LocalizedText };

/** Whether it can be called there. */
export const isOnPlatform = (
  { platforms }: Pick<CommandSpec, 'platforms'>,
  platform: PlatformName,
): boolean => platforms?.includes(platform) ?? true;

/** What Discord allows at most, and more than people type. */
export const MAX_OPTION_LENGTH = 6_000;

/** Whether only who called is to see the answer. */
export function isPrivate(
  { answers }: Pick<CommandSpec, 'answers'>,
  options: Readonly<Record<string, unknown>> = {},
): boolean {
  return answers !== 'public' || options['private'] === true || options['schema'] !== undefined;
}
