import * as v from 'valibot';
import { channelId, messageId } from '../../../domain/index.ts';
import { CannotPostError, type CardMessenger } from '../../ports/index.ts';
import { SlackApiError } from '../api/call.ts';
import { type RetryOptions, retrySlack } from '../api/retry.ts';
import { renderCard } from '../blocks/card-blocks.ts';
import type { CardPosterDeps } from './card-poster.ts';
import { NO_PREVIEWS } from './messages.ts';

/** Slack's errors for a person to whom the bot cannot send direct messages, for example a member of another organization. */
const NO_DIRECT_MESSAGES: ReadonlySet<string> = new Set([
  'channel_not_found',
  'messages_tab_disabled',
  'user_not_found',
]);

/** Whether the bot cannot send direct messages to the person. */
export const isUnreachable = (error: unknown): error is SlackApiError =>
  error instanceof SlackApiError && NO_DIRECT_MESSAGES.has(error.code);

/** The response to a posted message. */
export const postedMessage = v.object({
  channel: v.pipe(v.string(), v.minLength(1)),
  ts: v.pipe(v.string(), v.minLength(1)),
});

/**
 * Sends a card as a direct message, with a key once for each. The app cannot search its direct chats by person: if the outcome of
 * an earlier post is unknown, it is sent again. Rejects with CannotPostError, or as `retrySlack` does.
 */
export async function sendDirectMessage(
  { call, posts }: Pick<CardPosterDeps, 'call' | 'posts'>,
  retryOptions: () => RetryOptions,
  ...[to, user, card, key]: Parameters<CardMessenger['sendDirectMessage']>
): Promise<void> {
  // Recorded under the person: the id of the direct channel is known only after a post.
  const place = { ...to, channel: channelId(user) };
  const before = key === undefined ? undefined : await posts.begin(place, key);
  if (before?.message) return;
  const args = { channel: user, ...renderCard(card), ...NO_PREVIEWS };
  try {
    const posted = await retrySlack(() => call('chat.postMessage', args), retryOptions());
    if (key !== undefined) await posts.savePosted(place, key, messageId(v.parse(postedMessage, posted).ts));
  } catch (error) {
    throw isUnreachable(error) ? new CannotPostError(error.code, { cause: error }) : error;
  }
}
