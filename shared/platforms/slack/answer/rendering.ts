import type { TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import {
  type AnswerContent,
  type AnswerMessage,
  type Layout,
  type MessageContent,
  type Recovery,
  formatStep,
  identifyStepCard,
} from '../../live-answer/index.ts';
import { type TextLimit, inBytes, UTF8_BYTES } from '../../markdown/index.ts';
import { renderClosingBlocks, type Content, hasTable, stopBlocks } from '../blocks/answer-blocks.ts';
import type { KnownBlock, TaskUpdateChunk } from '@slack/types';
import { ThreadDeletedError, type Step } from '../../ports/index.ts';

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
    const final = actions ? renderClosingBlocks(this.#turn, actions, text) : [];
    return { text, limit: this.limit, maxMessages: Infinity, closing: isGrowing ? undefined : final };
  }

  /** The content as Slack accepts it, as far as is known. Waits for the locale of the Stop button, if it needs one. */
  async render(content: MessageContent<SlackLayout>): Promise<Content> {
    if (content.isLast && content.layout.closing === undefined)
      this.#stop = stopBlocks(this.#turn, (await this.#locale) ?? 'en');
    return this.toContent(content);
  }

  toContent({ text, steps, isLast, layout }: MessageContent<SlackLayout>): Content {
    const words = this.hasSlackLinks ? text : withoutSlackLinks(text);
    if (!this.hasFrame) return { text: words, steps: [], under: [] };
    return { text: words, steps, under: isLast ? (layout.closing ?? this.#stop) : [] };
  }

  shows(message: AnswerMessage, rendered: Content): boolean {
    if (!showsWords(message, rendered.text)) return false;
    if (!message.isNative) return message.frame === this.serializeFrame(rendered);
    return (
      !this.hasTableBlock(rendered) &&
      message.frame === serializeClosing(rendered) &&
      showsCards(message, rendered)
    );
  }

  /** Identifies everything but the words of a posted or edited message. */
  serializeFrame(content: Content): string {
    const tables = this.hasTableBlock(content) ? `${this.tables}` : '';
    return `${tables}${content.steps.map(formatStep).join('\n')}${serializeClosing(content)}`;
  }

  hasTableBlock({ text }: Pick<Content, 'text'>): boolean {
    return this.tables > 0 && hasTable(text);
  }
}

/** White space at the end of a message is invisible, and no reason for a request. */
export function showsWords({ shown }: Pick<AnswerMessage, 'shown'>, text: string): boolean {
  return shown !== undefined && shown.trimEnd() === text.trimEnd();
}

/** Identifies the blocks below the words; empty without blocks. */
export const serializeClosing = ({ under }: Pick<Content, 'under'>): string =>
  under.length === 0 ? '' : JSON.stringify(under);

/** The cards of a closed stream change only by an edit, which removes all of them. They stay while they show how each step ended. */
function showsCards({ streamedSteps }: AnswerMessage, { steps }: Content): boolean {
  return steps.every(({ id, state }) => streamedSteps.get(id)?.state === state);
}

/** Links to files, canvases and lists may be refused where people of other companies read along. They then stand there as words. */
const withoutSlackLinks = (text: string): string => text.replaceAll(/\bslack\.com(?=\/)/gi, 'slack[.]com');

/** After so many contradictions about whether a message is a stream, another message takes its place. */
const MAX_CONFLICTS = 2;

/** What Slack's refusals tell about the streams of one answer. */
export class StreamRefusals {
  readonly #conflicts = new Map<AnswerMessage, number>();
  readonly #overfull = new Set<AnswerMessage>();

  /** Slack finds the stream too long for what is missing: it is closed as it is, then edited. */
  isOverfull(message: AnswerMessage): boolean {
    return this.#overfull.has(message);
  }

  /** Returns what to do after Slack has refused to change or to post a message with this code. */
  recover(code: string, error: unknown, message: AnswerMessage): Recovery {
    if (error instanceof ThreadDeletedError) throw error;
    const { isStreaming, id } = message;
    const isConflict = code === 'streaming_state_conflict';
    const conflicts = (this.#conflicts.get(message) ?? 0) + (isConflict ? 1 : 0);
    this.#conflicts.set(message, conflicts);
    if (isConflict && conflicts <= MAX_CONFLICTS) {
      message.isStreaming = true;
      message.shown = undefined;
      return 'retry';
    }
    if (id !== undefined && (isConflict || UNEDITABLE.has(code))) {
      this.#conflicts.delete(message);
      this.#overfull.delete(message);
      return 'replace';
    }
    if (isStreaming && code === 'msg_too_long' && !this.isOverfull(message)) {
      this.#overfull.add(message);
      return 'retry';
    }
    if (TOO_LONG.has(code)) return 'split';
    return isStreaming ? 'retry' : 'nothing';
  }
}

/**
 * Makes the rendering plainer after a refusal: without links to Slack's files, without table blocks, without steps and buttons, at
 * last without blocks. Returns whether that, or another request to close the stream, can help.
 */
export function renderPlainer(
  code: string,
  message: AnswerMessage,
  content: Content,
  rendering: SlackRendering,
): boolean {
  const hasSlackLinks = withoutSlackLinks(content.text) !== content.text;
  if (LINKS_REFUSED.test(code) && !message.isStreaming && hasSlackLinks) {
    rendering.hasSlackLinks = false;
    return true;
  }
  if (!BLOCKS_REFUSED.has(code)) return false;
  // The stream is then closed without blocks, and edited.
  if (message.isStreaming) return content.under.length > 0;
  if (rendering.tables > 0 && hasTable(content.text)) {
    rendering.tables = 0;
    return true;
  }
  if (code === 'msg_blocks_too_long') return false;
  if (content.steps.length + content.under.length > 0) {
    rendering.hasFrame = false;
    return true;
  }
  if (message.id === undefined || !rendering.hasBlocks) return false;
  rendering.hasBlocks = false;
  return true;
}

const LINKS_REFUSED = /^slack_connect_\w+_blocked$/;

const BLOCKS_REFUSED = new Set([
  'invalid_arguments',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
]);

/** Another message takes its place. One that is not found is deleted all the same: Slack may not find what people see. */
const UNEDITABLE = new Set([
  'block_mismatch',
  'cant_update_message',
  'edit_window_closed',
  'message_not_found',
  'message_not_owned_by_app',
]);
const TOO_LONG = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
  'invalid_blocks',
  'invalid_attachments',
]);

/**
 * The limit of words and task cards together in a streamed message. Slack documents no number; live probes were refused between
 * 10,600 and 11,300 bytes of UTF-8 (openclaw/openclaw#143882).
 */
export const STREAM_LIMIT = inBytes(10_000);
/** Slack renders details as rich text, and counts them twice (same probes). */
const DETAILS_WEIGHT = 2;
const MAX_TITLE_BYTES = 300;
const MAX_DETAILS_BYTES = 1_500;
/** Of all cards of an answer: most of a message is for its words. */
const MAX_ALL_DETAILS_BYTES = 3_000;

/** A refusal never lowers the limit to less than this share: a refusal of less has other reasons. */
const MIN_LIMIT_SHARE = 0.5;

const STATUS = { running: 'in_progress', done: 'complete', failed: 'error' } as const;
const ELLIPSIS = '…';
const { size, reach } = UTF8_BYTES;

/** What these steps take of `STREAM_LIMIT` as task cards, in bytes. */
export function measureCards(steps: Iterable<Step>): number {
  let sum = 0;
  for (const { title, details = '' } of steps) sum += size(title) + DETAILS_WEIGHT * size(details);
  return sum;
}

/**
 * The step shortened to what a task card can show beside the cards of `others`. `visibleStep` is what its card shows already: Slack
 * appends details and never removes them, so details that do not begin with the shown ones are left out.
 */
export function fitCard(step: Step, others: Iterable<Step>, visibleStep?: Step): Step {
  const { details, ...rest } = step;
  const title = shortened(step.title, MAX_TITLE_BYTES);
  let room = MAX_ALL_DETAILS_BYTES;
  for (const other of others) if (other.id !== step.id) room -= size(other.details ?? '');
  const newDetails = shortened(details ?? '', MAX_DETAILS_BYTES);
  const before = visibleStep?.details ?? '';
  const after = newDetails.startsWith(before) && size(newDetails) <= room ? newDetails : before;
  return { ...rest, title, ...(after === '' ? {} : { details: after }) };
}

/** The limit after Slack has refused to append to a stream that shows these words and cards. */
export function getRefusedLimit(
  limit: TextLimit,
  words: string,
  visibleSteps: ReadonlyMap<string, Step>,
): TextLimit {
  const shownSize = limit.unit.size(words) + measureCards(visibleSteps.values());
  return { ...limit, max: Math.min(limit.max, Math.max(limit.max * MIN_LIMIT_SHARE, shownSize)) };
}

function shortened(text: string, maxBytes: number): string {
  if (size(text) <= maxBytes) return text;
  return text.slice(0, reach(text, 0, maxBytes - size(ELLIPSIS))) + ELLIPSIS;
}

/**
 * Which of the steps one message has room for as cards, beside words of this size and its present cards (`visibleSteps`). A step without
 * room for new details is shown without them. `left` are the steps without any room.
 */
export function fitCardsBeside(
  words: number,
  steps: readonly Step[],
  visibleSteps: ReadonlyMap<string, Step>,
  { max }: TextLimit,
): { readonly fitting: readonly Step[]; readonly left: readonly Step[] } {
  let cards: ReadonlyMap<string, Step> = visibleSteps;
  const fitting: Step[] = [];
  const left: Step[] = [];
  for (const step of steps) {
    const bare = { ...step, details: visibleSteps.get(step.id)?.details };
    const card = [step, bare].find(
      (candidate) => words + measureCards(new Map([...cards, [candidate.id, candidate]]).values()) <= max,
    );
    if (card) cards = new Map([...cards, [card.id, card]]);
    if (card) fitting.push(card);
    else left.push(step);
  }
  return { fitting, left };
}

/** The steps whose cards do not show their last state. */
export const listOutdatedCards = (visibleSteps: ReadonlyMap<string, Step>, steps: readonly Step[]): Step[] =>
  steps.filter((step) => {
    const before = visibleSteps.get(step.id);
    return before === undefined || identifyStepCard(before) !== identifyStepCard(step);
  });

/**
 * The step as a chunk of a stream. Slack updates title and state of the card with the same id, and appends the details to those
 * that it has (`visibleStep`; measured live: openclaw/openclaw#125168).
 */
export function toTaskChunk({ id, title, state, details = '' }: Step, visibleStep?: Step): TaskUpdateChunk {
  const added = details.slice((visibleStep?.details ?? '').length);
  return {
    type: 'task_update',
    id,
    title,
    status: STATUS[state],
    ...(added === '' ? {} : { details: added }),
  };
}
