/** Words within a line. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'strong' | 'em' | 'strike' | 'underline' | 'spoiler';
      readonly parts: readonly Inline[];
    }
  | { readonly kind: 'command' | 'role'; readonly id: string }
  /** `at` is in ms since 1970. */
  | { readonly kind: 'time'; readonly at: number; readonly style?: string }
  | {
      readonly kind: 'link';
      readonly href: string;
      readonly parts: readonly Inline[];
      readonly host?: string;
    }
  | { readonly kind: 'user' | 'channel' | 'special'; readonly id: string; readonly label?: string };

export type Item = {
  readonly parts: readonly Inline[];
  readonly lists: readonly List[];
  readonly done?: boolean;
};
export type List = { kind: 'list'; ordered: boolean; start: number; items: Item[] };

/** A message is a list of these. */
export type Block =
  | { readonly kind: 'paragraph' | 'small'; readonly parts: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: 'fence'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'rule' }
  | { readonly kind: 'table'; readonly head: readonly Inline[][]; readonly rows: readonly Inline[][][] }
  | List;

/** Reads Markdown, or Slack's own mrkdwn, into blocks that hold plain text and safe addresses only. */
export function parseMarkdown(text: string, dialect?: 'markdown' | 'mrkdwn' | 'discord'): Block[];
