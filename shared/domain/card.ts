import type { UserId } from './ids.ts';
import type { InteractionPayload } from './interaction.ts';

/**
 * What the bot shows beside answers: settings, progress, transcripts, usage. A card says what is there; each platform
 * draws it in its own way and within its own limits, cutting what is too long with a mark of that.
 */
export type Card = {
  readonly title?: string | undefined;
  /** Whom it is from: named at its head. */
  readonly by?: UserId | undefined;
  readonly tone?: 'working' | 'good' | 'bad' | undefined;
  readonly parts: readonly CardPart[];
};

export type CardPart =
  /**
   * Markdown as models write it; `note` is small print. Mentions in it are inert, but for those of `people`, whom the bot
   * itself names (see `namedAs`): they are shown by their names, and nobody is called by that.
   */
  | {
      readonly kind: 'text' | 'note';
      readonly markdown: string;
      readonly people?: readonly string[] | undefined;
      /** Addresses that the bot itself links to in it: nobody has to be shown where these lead. */
      readonly ownLinks?: readonly string[] | undefined;
    }
  /** Short facts side by side. */
  | {
      readonly kind: 'fields';
      readonly fields: readonly CardField[];
      /** As of a text. */
      readonly people?: readonly string[] | undefined;
    }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'divider' }
  /** Files of the card's own message, where it is shown in a thread. */
  | { readonly kind: 'files'; readonly files: readonly CardFile[] }
  | { readonly kind: 'controls'; readonly controls: readonly CardControl[] };

/** A short fact. `at` (ms since 1970): the moment at which it was so, which is shown beside it in the reader's own time. */
export type CardField = { readonly name: string; readonly value: string; readonly at?: number | undefined };

/** A small file on a card. Its name is for people; a platform that takes no such letters leaves them out. */
export type CardFile = { readonly name: string; readonly mimetype: string; readonly content: Uint8Array };

/** The files on a card, in their order. */
export const filesOn = ({ parts }: Pick<Card, 'parts'>): CardFile[] =>
  parts.flatMap((part) => (part.kind === 'files' ? part.files : []));

/** How a card names somebody: a person by their id, a role or group by `&` and its id, a channel by `#` and its id. */
export const namedAs = (id: string): string => (id.startsWith('#') ? `<${id}>` : `<@${id}>`);

/** Something on a card that a person presses or chooses from. */
export type CardControl =
  | {
      readonly kind: 'button';
      readonly label: string;
      readonly action: CardAction;
      readonly style?: 'primary' | 'danger' | undefined;
      /** Asked before it counts. Where a platform cannot ask, the action is asked about by a card of its own. */
      readonly confirm?: string | undefined;
    }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | {
      readonly kind: 'choice';
      readonly label: string;
      readonly action: CardAction;
      readonly options: readonly CardOption[];
      readonly chosen?: string | undefined;
    };

export type CardOption = {
  readonly label: string;
  readonly value: string;
  readonly hint?: string | undefined;
};

/** Each value once, the first of its kind, and none that is empty: no platform takes others. */
export function distinctActions(options: readonly CardOption[]): CardOption[] {
  const first = new Map(options.toReversed().map((option) => [option.value, option]));
  return options.filter((option) => option.value !== '' && first.get(option.value) === option);
}

/**
 * What a control carries, to be read when it is pressed: days later, by another process. What it means, and whether
 * this person may, is decided then; nothing in it is trusted but that the platform hands it back as it was.
 */
export type CardAction = {
  /** Area and deed: `voice.translate`. */
  readonly name: string;
  readonly args: readonly string[];
};

/** A form that opens over the platform's window and comes back as a call of kind `form`. */
export type ModalForm = {
  readonly title: string;
  readonly submit: string;
  readonly action: CardAction;
  readonly fields: readonly ModalField[];
};

export type ModalField = {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean | undefined;
} & (
  | { readonly kind: 'line' | 'paragraph'; readonly value?: string | undefined; readonly most: number }
  | { readonly kind: 'choice'; readonly options: readonly CardOption[]; readonly value?: string | undefined }
);

/** The longest text of an action: what Discord allows a `custom_id`. */
const MAX_ACTION_LENGTH = 100;
const SEPARATOR = '|';
/** What a platform may read as something else. All other letters stay: written out, those of Chinese count ninefold. */
const SPECIAL = /[\p{ASCII}\p{C}\p{Z}]/gu;
const escaped = (part: string): string => part.toWellFormed().replaceAll(SPECIAL, encodeURIComponent);

/** An action as text. Throws a RangeError when it is longer than a platform carries: keep long things in the table. */
export function actionText({ name, args }: CardAction): string {
  const text = [name, ...args].map(escaped).join(SEPARATOR);
  if (text.length > MAX_ACTION_LENGTH)
    throw new RangeError(`an action of ${text.length} characters: ${name}`);
  return text;
}

/** What these do takes long, and is told to whoever pressed when it is done. */
const LONG_ACTIONS: ReadonlySet<string> = new Set(['voice.translate', 'voice.speak']);

/**
 * Whether what a control does takes long. Discord wants to know before anything is done: until there is an answer, it then
 * shows whoever pressed that the bot is thinking.
 */
export const takesLong = ({ name }: Pick<CardAction, 'name'>): boolean => LONG_ACTIONS.has(name);

/**
 * Whether an action, or a command of a message's menu, opens a form (its name ends in `-form`). Discord wants to know before anything else is done: a call
 * that was answered in another way opens none any more.
 */
export const opensForm = ({ name }: Pick<CardAction, 'name'>): boolean => name.endsWith('-form');

/** Whether a call is to open a form: it has three seconds for that, and nothing else may be answered before. */
export function wantsForm(made: InteractionPayload): boolean {
  if (made.kind === 'action') return opensForm(made.action);
  return made.kind === 'on-message' && opensForm(made);
}

/** Reads what `actionText` wrote; undefined for anything else. Never throws. */
export function parseAction(text: string): CardAction | undefined {
  if (text.length > MAX_ACTION_LENGTH) return undefined;
  try {
    const [name = '', ...args] = text.split(SEPARATOR).map((part) => decodeURIComponent(part));
    return /^[a-z]+(?:\.[a-z-]+)+$/.test(name) ? { name, args } : undefined;
  } catch {
    return undefined;
  }
}

/** A card of one paragraph; `people` are those it names. */
export const textCard = (markdown: string, tone?: Card['tone'], people?: readonly string[]): Card => ({
  tone,
  parts: [{ kind: 'text', markdown, ...(people && { people }) }],
});
