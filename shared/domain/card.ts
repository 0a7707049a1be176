import { isIntegration } from './external/integration.ts';
import type { InteractionPayload } from './interaction.ts';
import type { UserId } from './ids.ts';

/**
 * A message of the bot that is not an answer: settings, progress, transcripts, usage. A card holds content
 * only. Each platform renders it within its own limits, and marks text that it had to cut.
 */
export type Card = {
  readonly title?: string | undefined;
  /** The person who created it; shown in the header. */
  readonly by?: UserId | undefined;
  readonly tone?: 'working' | 'good' | 'bad' | undefined;
  readonly parts: readonly CardPart[];
};

export type CardPart =
  /**
   * Markdown as models write it. `note` is small print. Mentions in it have no effect, except those of
   * `people`, which the bot itself writes with `formatMention`: they show the name and notify nobody.
   */
  | {
      readonly kind: 'text' | 'note';
      readonly markdown: string;
      readonly people?: readonly string[] | undefined;
      /** Links that the bot itself put into the text. The platform does not have to show their target. */
      readonly ownLinks?: readonly string[] | undefined;
    }
  /** Short facts, shown side by side. */
  | {
      readonly kind: 'fields';
      readonly fields: readonly CardField[];
      /** As for `text`. */
      readonly people?: readonly string[] | undefined;
    }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'divider' }
  /** Files on the message of the card. Shown in threads only. */
  | { readonly kind: 'files'; readonly files: readonly CardFile[] }
  | { readonly kind: 'controls'; readonly controls: readonly CardControl[] };

/**
 * A short fact. `at` (ms since 1970): when the value was measured, shown beside it in the reader's own time
 * zone.
 */
export type CardField = { readonly name: string; readonly value: string; readonly at?: number | undefined };

/** A small file on a card. A platform removes characters from the name that it does not accept. */
export type CardFile = { readonly name: string; readonly mimetype: string; readonly content: Uint8Array };

/** Returns the files of a card, in order. */
export const listCardFiles = ({ parts }: Pick<Card, 'parts'>): CardFile[] =>
  parts.flatMap((part) => (part.kind === 'files' ? part.files : []));

/**
 * Formats a mention for a card: a person by id, a role or group by `&` and its id, a channel by `#` and its id. The
 * platforms know no integration: its id stays a text.
 */
export function formatMention(id: string): string {
  if (isIntegration(id)) return `\`${id}\``;
  return id.startsWith('#') ? `<${id}>` : `<@${id}>`;
}

/** An interactive element of a card. */
export type CardControl =
  | {
      readonly kind: 'button';
      readonly label: string;
      readonly action: CardAction;
      readonly style?: 'primary' | 'danger' | undefined;
      /**
       * The question that the person confirms first. Where the platform has no confirmation dialog, the action
       * itself asks with another card.
       */
      readonly confirm?: string | undefined;
    }
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

/** Removes options with an empty value and options that repeat an earlier value: both platforms reject them. */
export function removeDuplicateOptions(options: readonly CardOption[]): CardOption[] {
  const firstByValue = new Map(options.toReversed().map((option) => [option.value, option]));
  return options.filter((option) => option.value !== '' && firstByValue.get(option.value) === option);
}

/**
 * What a control sends when it is used, perhaps days later and in another process. Its meaning and the person's
 * permission are checked then. The platform only guarantees that it returns the text unchanged.
 */
export type CardAction = {
  /** Feature and operation: `voice.translate`. */
  readonly name: string;
  readonly args: readonly string[];
};

/** A modal. Its submission arrives as an interaction of kind `form`. Drafts store modals (`FormDrafts`), so names of members stay. */
export type Modal = {
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
} &
  // `most` is the maximum length.
  (
    | { readonly kind: 'line' | 'paragraph'; readonly value?: string | undefined; readonly most: number }
    | {
        readonly kind: 'choice';
        readonly options: readonly CardOption[];
        readonly value?: string | undefined;
      }
  );

/** The maximum length of a comment on an answer, in characters: the limit of an input on both platforms. */
export const MAX_COMMENT_LENGTH = 1_000;

/** The maximum length of a serialized action: Discord's limit for a `custom_id`. */
const MAX_ACTION_LENGTH = 100;
const SEPARATOR = '|';
/**
 * Characters that a platform may interpret. Other characters stay as they are: percent-encoded, a Chinese
 * character would take nine characters.
 */
const ESCAPED_CHARACTERS = /[\p{ASCII}\p{C}\p{Z}]/gu;
const escapePart = (part: string): string =>
  part.toWellFormed().replaceAll(ESCAPED_CHARACTERS, encodeURIComponent);

/**
 * Serializes an action. Throws a RangeError when it is longer than a platform allows: store long values in the
 * table and send their key.
 */
export function serializeAction({ name, args }: CardAction): string {
  const text = [name, ...args].map(escapePart).join(SEPARATOR);
  if (text.length > MAX_ACTION_LENGTH)
    throw new RangeError(`an action of ${text.length} characters: ${name}`);
  return text;
}

/** These take long. The result is sent to the person when it is ready. */
const LONG_ACTIONS: ReadonlySet<string> = new Set(['voice.translate', 'voice.speak']);

/**
 * Whether an action takes long. Discord's first response needs this: a deferred response shows the person that
 * the bot is thinking.
 */
export const isLongRunning = ({ name }: Pick<CardAction, 'name'>): boolean => LONG_ACTIONS.has(name);

/**
 * Whether an action or a message command opens a modal (its name ends in `-form`). Discord's first response
 * needs this: after any other response, the interaction can no longer open a modal.
 */
export const opensModal = ({ name }: Pick<CardAction, 'name'>): boolean => name.endsWith('-form');

/** Whether an interaction opens a modal. This must happen within 3 s, as the first response. */
export function isModalRequest(payload: InteractionPayload): boolean {
  if (payload.kind === 'action') return opensModal(payload.action);
  return payload.kind === 'on-message' && opensModal(payload);
}

/** Parses the result of `serializeAction`; undefined for any other text. Never throws. */
export function parseAction(text: string): CardAction | undefined {
  if (text.length > MAX_ACTION_LENGTH) return undefined;
  try {
    const [name = '', ...args] = text.split(SEPARATOR).map((part) => decodeURIComponent(part));
    return /^[a-z]+(?:\.[a-z-]+)+$/.test(name) ? { name, args } : undefined;
  } catch {
    return undefined;
  }
}

/** Creates a card with one paragraph. `people` are the people whom it mentions. */
export const textCard = (markdown: string, tone?: Card['tone'], people?: readonly string[]): Card => ({
  tone,
  parts: [{ kind: 'text', markdown, ...(people && { people }) }],
});
