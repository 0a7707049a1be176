import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { deleteMessages, deleteReplaced, type Publishing } from '../../live-answer/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { readUnlessRateLimited } from '../lookup/history-limit.ts';
import type { Messages } from '../posts/messages.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import type { SlackLayout } from './rendering.ts';
import { type RetryOptions, retrySlack } from '../api/retry.ts';

const TIMEOUT_MS = 30_000;
const DELETED = new Set(['message_not_found', 'thread_not_found']);
const STREAMING = new Set(['streaming_state_conflict', 'message_in_streaming_state']);

/**
 * Deletes the messages of a turn's answer: the posted ones, then those that a search finds by their metadata. Does not search if all
 * messages are known (`isComplete`), or Slack does not let the app search. A message that is already deleted counts as done; one that Slack
 * does not let the app delete is logged. Rejects as SlackCall does, or with RetryTimeoutError.
 */
export async function deleteAnswer(
  deps: Pick<SlackDeps, 'call' | 'log' | 'time'> & {
    readonly find: FindOrphans;
    readonly findUnthreaded: FindOrphans;
  },
  turn: TurnRef,
  posted: readonly MessageId[],
  isComplete = false,
): Promise<void> {
  const { time, log, find, findUnthreaded } = deps;
  const retry = { time, deadline: time.now() + TIMEOUT_MS };
  for (const id of posted) await deleteMessage(deps, turn, id, retry);
  if (isComplete) return;
  // A thread disappears with its root: a message that was being posted at that moment may be in the channel.
  const finders = turn.message === turn.thread.root ? [find, findUnthreaded] : [find];
  const searches = finders.map((search) =>
    readUnlessRateLimited(() => retrySlack(() => search(turn), retry)),
  );
  const results = await Promise.all(searches);
  if (results.includes(undefined)) log?.('slack.orphan-search-skipped');
  const orphans = results.flatMap((result) => result ?? []);
  const own = orphans.filter(({ id, part }) => part !== undefined && !posted.includes(id));
  for (const { id } of own) await deleteMessage(deps, turn, id, retry);
}

async function deleteMessage(
  { call, log }: Pick<SlackDeps, 'call' | 'log'>,
  turn: TurnRef,
  ts: MessageId,
  retry: RetryOptions,
): Promise<void> {
  const { channel } = turn.thread;
  const attempt = (): Promise<unknown> => retrySlack(() => call('chat.delete', { channel, ts }), retry);
  try {
    await attempt().catch(async (error: unknown) => {
      if (!(error instanceof SlackApiError) || !STREAMING.has(error.code)) throw error;
      await retrySlack(() => call('chat.stopStream', { channel, ts }), retry);
      await attempt();
    });
  } catch (error) {
    if (!(error instanceof SlackApiError)) throw error;
    if (!DELETED.has(error.code)) log?.('slack.message-delete-failed', { reason: error.code });
  }
}

/** Deletes all that the answer has posted, as far as Slack allows it: its thread is gone. Never throws. */
export async function deleteReply(
  publishing: Publishing<SlackLayout>,
  messages: Messages,
  findUnthreaded: () => ReturnType<FindOrphans>,
): Promise<void> {
  const { answer, retry, log } = publishing;
  answer.replaced.push(...messages.unthreadedPosts.splice(0));
  try {
    await deleteMessages(publishing);
    if (answer.unconfirmedPosts === 0) return;
    // A post with an unknown outcome may be in the channel.
    const unthreaded = await retrySlack(findUnthreaded, retry);
    answer.replaced.push(...unthreaded.map(({ id }) => id));
    answer.unconfirmedPosts = 0;
    await deleteReplaced(publishing);
  } catch {
    log?.('slack.message-delete-failed', { reason: 'no response in time' });
  }
}
