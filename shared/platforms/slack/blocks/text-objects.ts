import type { PlainTextElement } from '@slack/types';
import { sanitize } from '../../markdown/index.ts';

/** Renders a plain text object. Slack refuses an empty one and one that is longer than its place allows. */
export function plainText(text: string, maxLength: number): PlainTextElement {
  return {
    type: 'plain_text',
    // Only the beginning is sanitized: the rest is cut off anyway.
    text: cut(sanitize(text.slice(0, 2 * maxLength)).trim(), maxLength) || '…',
    emoji: true,
  };
}

/** Cuts a text to `maxLength` UTF-16 units. The last one is then an ellipsis. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}
