import type { ContextBlock } from '@slack/types';
import type { Source } from '../../../domain/index.ts';
import { escapeMrkdwn } from './mrkdwn.ts';
import { formatSourceLines } from '../../live-answer/index.ts';

/** Slack’s limit is 3,000 characters. */
const MAX_SOURCES_LENGTH = 2_900;

/** Renders the cited pages as links. `verbatim`: Slack makes no links, mentions or channels of the words. */
export function renderSources(sources: readonly Source[]): ContextBlock {
  const text = formatSourceLines(sources, formatLink, MAX_SOURCES_LENGTH).join('\n');
  return { type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] };
}

const formatLink = (words: string, url: string): string => `<${escapeMrkdwn(url)}|${escapeMrkdwn(words)}>`;
