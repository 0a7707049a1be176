import type { Action, PlatformName } from '../../conversation/index.ts';
import type { SavedKind } from '../../settings/index.ts';
import type { TextKey } from '../../texts/index.ts';

/** What a call gave, by the names of options. */
export type Options = Readonly<Record<string, string | number | boolean>>;

/**
 * A command, told once for both platforms: pure, so that a front holds it and nothing else. In Slack its name is the
 * first word behind the one command of the deployment (`/parley ask ...`), in Discord a command of its own.
 */
export type CommandSpec = {
  /** Lower-case letters and `-`, at most 32. */
  readonly name: string;
  /** The same in people's languages, by Discord's rules for names. */
  readonly title?: TextKey;
  readonly platforms: readonly PlatformName[];
  /**
   * Who sees what comes of it: who called alone, unless this says otherwise. Discord wants to know before anything is done. The options `private` and `schema` make a
   * public one private.
   */
  readonly answers?: 'public';
  readonly about: TextKey;
  /** Required ones come first. In Slack, words fill them in this order; `name:value` fills any. */
  readonly options: readonly OptionSpec[];
  /** Where people have menus too (Discord): what the menu shows in English, and the option that the person becomes. */
  readonly onPerson?: { readonly label: string; readonly text: TextKey; readonly option: string };
  /** The action whose form it opens instead of running, for options that leave something to fill in. See `forms.ts`. */
  readonly opens?: (options: Options) => Action | undefined;
};

/** A command in the menu of a message: Slack's message shortcut, Discord's message command. */
export type MessageCommandSpec = {
  /** Slack's `callback_id`, and how calls name it. It ends in `-form` if the command opens a form. */
  readonly name: string;
  /** What the menu shows in English, by which Discord names it in a call: at most 24 characters. */
  readonly label: string;
  /** The same in people's languages. */
  readonly text: TextKey;
  readonly platforms: readonly PlatformName[];
  readonly answers?: 'public';
};

export type OptionSpec = {
  readonly name: string;
  /** What it is; where it is left out, the text of that name beside its command's: `usage.days.about` of `usage.about`. */
  readonly about?: TextKey;
  readonly required?: boolean;
} & (
  | {
      readonly kind: 'text';
      /** Characters at most; 200 unless told otherwise. */
      readonly most?: number;
      /** Each is said by the text of that name: `usage.of.mine` of `usage.of.about`. */
      readonly choices?: readonly string[];
      /** What is suggested while it is typed, where the platform can: see `suggest`. */
      readonly suggests?: Suggests;
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

export type Suggests = 'model' | SavedKind;

export const BOTH: readonly PlatformName[] = ['slack', 'discord'];
/** What Discord allows at most, and more than people type. */
export const LONGEST_OPTION = 6_000;

/** Whether only who called is to see the answer. */
export function isPrivate(
  { answers }: Pick<CommandSpec, 'answers'>,
  options: Readonly<Record<string, unknown>> = {},
): boolean {
  return answers !== 'public' || options['private'] === true || options['schema'] !== undefined;
}
