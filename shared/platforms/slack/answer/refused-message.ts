import type { AnswerMessage, Recovery } from '../../live-answer/index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import { type Content, hasTable } from '../blocks/answer-blocks.ts';
import { type SlackRendering, withoutSlackLinks } from './rendering.ts';

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
