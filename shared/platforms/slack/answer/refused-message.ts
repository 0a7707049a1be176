import { ThreadDeletedError } from '../../ports/platform.ts';
import { type Content, hasTable } from '../blocks/answer-blocks.ts';
import { RetryTimeoutError } from '../api/retry.ts';
import type { AnswerPart, LiveAnswer } from './live-answer.ts';

/** Slack counts more characters in a part than it takes. The answer has to be split finer. */
export class PartTooLong extends Error {
  override readonly name = 'PartTooLong';
}

/** So often Slack says that a stream is none and that it is one; then it is left for a message of its own. */
const MAX_CONFLICTS = 2;

/**
 * Gives up what Slack may have refused: links to its files; table blocks, then all that stands around the words, then blocks
 * altogether.
 */
export function plainer(code: string, part: AnswerPart, content: Content, answer: LiveAnswer): boolean {
  if (NOT_SHARED.test(code) && !part.streaming && withoutSlackLinks(content.text) !== content.text) {
    answer.unlinked = true;
    return true;
  }
  if (!BLOCKS.has(code)) return false;
  // A stream is then ended without blocks, and replaced.
  if (part.streaming) return content.under.length > 0;
  if (answer.tables > 0 && hasTable(content.text)) {
    answer.tables = 0;
    return true;
  }
  if (code === 'msg_blocks_too_long') return false;
  if (content.steps.length + content.under.length > 0) {
    answer.bare = true;
    return true;
  }
  if (part.id === undefined || answer.withoutBlocks) return false;
  answer.withoutBlocks = true;
  return true;
}

/** To people of other companies, links to files, canvases and lists may be closed: then they stand there as words. */
const NOT_SHARED = /^slack_connect_\w+_blocked$/;
export const withoutSlackLinks = (text: string): string =>
  text.replaceAll(/\bslack\.com(?=\/)/gi, 'slack[.]com');

const BLOCKS = new Set([
  'invalid_arguments',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_blocks_too_many',
]);

/** Brings a part into the state that a refusal tells of. Throws if no further call would help. */
export function refused(part: AnswerPart, code: string, answer: LiveAnswer, error: unknown): void {
  if (error instanceof ThreadDeletedError) throw error;
  const conflict = code === 'streaming_state_conflict';
  if (conflict) part.conflicts += 1;
  if (conflict && part.conflicts <= MAX_CONFLICTS) {
    part.streaming = true;
    part.seen = undefined;
  } else if (part.id !== undefined && (conflict || UNEDITABLE.has(code))) {
    answer.replaced.push(part.id);
    part.conflicts = 0;
    part.id = undefined;
    part.seen = undefined;
    part.streaming = false;
    part.native = false;
    part.overfull = false;
    part.cards.clear();
  } else if (part.streaming && !part.overfull && code === 'msg_too_long') {
    part.overfull = true;
  } else if (TOO_LONG.has(code)) {
    throw new PartTooLong(`Slack refused a part: ${code}`, { cause: error });
  } else if (!part.streaming) {
    throw new RetryTimeoutError(`Slack refused: ${code}`, { cause: error });
  }
}

/** Another message takes its place. What is not found is removed all the same: Slack may not find what people see. */
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
