import * as v from 'valibot';
import {
  type Card,
  type ChannelId,
  channelId,
  type MessageId,
  messageId,
  type Thread,
  type UserId,
} from '../../../domain/index.ts';
import { CannotPostError, type CardMessenger } from '../../ports/index.ts';
import { SlackApiError } from '../api/call.ts';
import { classifyError, isRestricted } from '../api/errors.ts';
import { type RetryOptions, retrySlack } from '../api/retry.ts';
import { renderCard } from '../blocks/card-blocks.ts';
import { createBotIdentityFinder } from '../lookup/bot-identity.ts';
import { readUnlessRateLimited } from '../lookup/history-limit.ts';
import type { PostAttempt } from '../files/post-records.ts';
import type { CardPosterDeps } from './card-poster.ts';
import { createCardMetadata, findCards } from './find-card.ts';
import { NO_PREVIEWS } from './messages.ts';

/**
 * Slack's errors for a person to whom the bot cannot send direct messages, for example a member of another organization. Source:
 * docs.slack.dev/reference/methods/chat.postMessage, conversations.open.
 */
const NO_DIRECT_MESSAGES: ReadonlySet<string> = new Set([
  'app_access_restricted',
  'channel_not_found',
  'ekm_access_denied',
  'is_archived',
  'messages_tab_disabled',
  'user_disabled',
  'user_not_found',
  'user_not_visible',
]);

/** Whether the bot cannot send direct messages to the person. */
export const isUnreachable = (error: unknown): error is SlackApiError =>
  error instanceof SlackApiError && (NO_DIRECT_MESSAGES.has(error.code) || isRestricted(error.code));

/** The response to a posted message. */
const postedMessage = v.object({
  channel: v.pipe(v.string(), v.minLength(1)),
  ts: v.pipe(v.string(), v.minLength(1)),
});

/**
 * Sends a card as a direct message, with a key once for each. Slack names the direct channel only in the response to a post, and an app may
 * not look for it without a further scope. So, if the outcome of an earlier post is unknown, the card is posted again, and then all but the first
 * in the channel are deleted. Rejects with CannotPostError, or as `retrySlack` does.
 */
export async function sendDirectMessage(
  deps: Pick<CardPosterDeps, 'call' | 'posts' | 'botUserId'>,
  retryOptions: () => RetryOptions,
  ...[to, user, card, key]: Parameters<CardMessenger['sendDirectMessage']>
): Promise<void> {
  const { posts } = deps;
  // Recorded under the person: the id of the direct channel is known only after a post.
  const place = { ...to, channel: channelId(user) };
  const attempt = key === undefined ? undefined : await posts.beginAttempt(place, key);
  if (key !== undefined && attempt === undefined) return;
  try {
    const { channel, message } = await postOnce(deps, retryOptions, { user, card, key, attempt });
    if (key === undefined || attempt === undefined) return;
    const isSaved = await posts.saveAttempt(place, key, attempt, message);
    // A later attempt may have looked for other messages before this one was there.
    if (!isSaved) await keepFirst(deps, retryOptions, channel, key);
  } catch (error) {
    throw isUnreachable(error) ? new CannotPostError(error.code, { cause: error }) : error;
  }
}

/**
 * Sends a card as a direct message, below which files can be posted. Resolves with its thread. The same key again gives the same
 * message: it is posted again, because only that names the channel, and then all but the first are deleted. Rejects as `retrySlack` does.
 */
export async function startDirectThread(
  deps: Pick<CardPosterDeps, 'call' | 'posts' | 'botUserId'>,
  retryOptions: () => RetryOptions,
  to: Pick<Thread, 'platform' | 'workspace'>,
  { user, card, key }: { readonly user: UserId; readonly card: Card; readonly key: string },
): Promise<Thread> {
  const attempt = await deps.posts.beginAttempt({ ...to, channel: channelId(user) }, key);
  const { channel, message } = await postOnce(deps, retryOptions, { user, card, key, attempt });
  return { ...to, channel, root: message };
}

type DirectPost = {
  readonly user: UserId;
  readonly card: Card;
  readonly key: string | undefined;
  readonly attempt: PostAttempt | undefined;
};

/** Posts a card. If there may be others with the key, deletes all but the first, and resolves with that one. */
async function postOnce(
  deps: Pick<CardPosterDeps, 'call' | 'botUserId'>,
  retryOptions: () => RetryOptions,
  { user, card, key, attempt }: DirectPost,
): Promise<{ readonly channel: ChannelId; readonly message: MessageId }> {
  let mayExist = attempt?.isFirst === false;
  const metadata = key === undefined ? {} : createCardMetadata(key);
  const args = { channel: user, ...renderCard(card), ...metadata, ...NO_PREVIEWS };
  const post = () =>
    deps.call('chat.postMessage', args).catch((error: unknown) => {
      mayExist ||= classifyError(error).kind === 'unknown';
      throw error;
    });
  const response = v.parse(postedMessage, await retrySlack(post, retryOptions()));
  const channel = channelId(response.channel);
  const first = mayExist && key !== undefined ? await keepFirst(deps, retryOptions, channel, key) : undefined;
  return { channel, message: first ?? messageId(response.ts) };
}

/** Deletes all cards with the key but the first. Returns that one; undefined if the rate limit does not allow to look: a duplicate is better. */
async function keepFirst(
  deps: Pick<CardPosterDeps, 'call' | 'botUserId'>,
  retryOptions: () => RetryOptions,
  channel: ChannelId,
  key: string,
): Promise<MessageId | undefined> {
  const { call } = deps;
  const find = () => findCards(call, createBotIdentityFinder(deps), channel, key);
  const cards = await readUnlessRateLimited(() => retrySlack(find, retryOptions()));
  const first = cards?.at(-1);
  for (const ts of cards ?? [])
    if (ts !== first)
      await retrySlack(() => call('chat.delete', { channel, ts }), retryOptions()).catch(ignoreDeleted);
  return first;
}

function ignoreDeleted(error: unknown): void {
  if (!(error instanceof SlackApiError) || error.code !== 'message_not_found') throw error;
}
