import type { TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import type { AnswerContent, AnswerMessage, Layout, MessageContent } from '../../live-answer/index.ts';
import { inWords, type TextLimit } from '../../markdown/index.ts';
import { closingBlocks, type Content, hasTable, stopBlocks } from '../blocks/answer-blocks.ts';
import type { KnownBlock } from '@slack/types';

export type SlackLayout = Layout & {
  /** Blocks below the last message; undefined for the Stop button of a growing answer. */
  readonly closing: readonly KnownBlock[] | undefined;
};

/** How the messages of one answer are rendered. Plainer after each refusal of Slack's. */
export class SlackRendering {
  /** The limit of words and task cards in one message. Lower once Slack has refused more. */
  limit: TextLimit;
  /** How many tables of a message are table blocks: Slack documents one, and refuses some for reasons of its own. */
  tables = 1;
  /** Slack accepts steps and buttons around the words. */
  hasFrame = true;
  /** Slack accepts the words of an edited message as a block. Otherwise the old blocks may stay beside the new Markdown. */
  hasBlocks = true;
  /** Slack accepts links to its own files. */
  hasSlackLinks = true;
  readonly #turn: TurnRef;
  readonly #locale: Promise<Locale> | undefined;
  #stop: readonly KnownBlock[] = [];

  constructor(turn: TurnRef, limit: TextLimit, locale: Promise<Locale> | undefined) {
    this.#turn = turn;
    this.limit = limit;
    this.#locale = locale;
  }

  layOut({ text, isGrowing, actions }: AnswerContent): SlackLayout {
    const final = actions ? closingBlocks(this.#turn, actions, text) : [];
    return { text, limit: this.limit, maxMessages: Infinity, closing: isGrowing ? undefined : final };
  }

  /** The content as Slack accepts it, as far as is known. Waits for the locale of the Stop button, if it needs one. */
  async render(content: MessageContent<SlackLayout>): Promise<Content> {
    if (content.isLast && content.layout.closing === undefined)
      this.#stop = stopBlocks(this.#turn, (await this.#locale) ?? 'en');
    return this.contentOf(content);
  }

  contentOf({ text, steps, isLast, layout }: MessageContent<SlackLayout>): Content {
    const words = this.hasSlackLinks ? text : withoutSlackLinks(text);
    if (!this.hasFrame) return { text: words, steps: [], under: [] };
    return { text: words, steps, under: isLast ? (layout.closing ?? this.#stop) : [] };
  }

  shows(message: AnswerMessage, rendered: Content): boolean {
    if (!showsWords(message, rendered.text)) return false;
    if (!message.isNative) return message.frame === this.frameOf(rendered);
    return (
      !this.hasTableBlock(rendered) && message.frame === closingOf(rendered) && showsCards(message, rendered)
    );
  }

  /** Identifies everything but the words of a posted or edited message. */
  frameOf(content: Content): string {
    const tables = this.hasTableBlock(content) ? `${this.tables}` : '';
    return `${tables}${content.steps.map(inWords).join('\n')}${closingOf(content)}`;
  }

  hasTableBlock({ text }: Pick<Content, 'text'>): boolean {
    return this.tables > 0 && hasTable(text);
  }
}

/** White space at the end of a message is invisible, and no reason for a request. */
export function showsWords({ shown }: Pick<AnswerMessage, 'shown'>, text: string): boolean {
  return shown !== undefined && shown.trimEnd() === text.trimEnd();
}

export const closingOf = ({ under }: Pick<Content, 'under'>): string =>
  under.length === 0 ? '' : JSON.stringify(under);

/** The cards of a closed stream change only by an edit, which removes all of them. They stay while they show how each step ended. */
function showsCards({ streamedSteps }: AnswerMessage, { steps }: Content): boolean {
  return steps.every(({ id, state }) => streamedSteps.get(id)?.state === state);
}

/** Links to files, canvases and lists may be refused where people of other companies read along. They then stand there as words. */
export const withoutSlackLinks = (text: string): string =>
  text.replaceAll(/\bslack\.com(?=\/)/gi, 'slack[.]com');
