import { truncateText } from '../../../utils/index.ts';
import type { PlainTextElement } from '@slack/types';
import { sanitize } from '../../markdown/index.ts';

/** Renders a plain text object. Slack refuses an empty one and one that is longer than its place allows. */
export function plainText(text: string, maxLength: number): PlainTextElement {
  return {
    type: 'plain_text',
    // Only the beginning is sanitized: the rest is cut off anyway.
    text: truncateText(sanitize(text.slice(0, 2 * maxLength)).trim(), maxLength) || '…',
    emoji: true,
  };
}
