import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { unlessRateLimited } from '../lookup/history-limit.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import { type RetryOptions, retrySlack } from '../api/retry.ts';

const TIMEOUT_MS = 30_000;
const ALREADY = new Set(['message_not_found', 'thread_not_found']);
const STREAMING = new Set(['streaming_state_conflict', 'message_in_streaming_state']);

/**
 * Deletes the messages of a turn's answer: those known, then those in the thread that carry its mark, unless it is certain
 * that all are known, or Slack does not let the app look. What is deleted already counts as done; what Slack does not let the
 * app delete is logged. Rejects as SlackCall does, or with RetryTimeoutError.
 */
export async function deleteAnswer(
  deps: Pick<SlackDeps, 'call' | 'log' | 'time'> & {
    readonly find: FindOrphans;
    readonly findLoose: FindOrphans;
  },
  turn: TurnRef,
  posted: readonly MessageId[],
  certain = false,
): Promise<void> {
  const { time, log, find, findLoose } = deps;
  const patience = { time, deadline: time.now() + TIMEOUT_MS };
  for (const id of posted) await remove(deps, turn, id, patience);
  if (certain) return;
  // With the root its thread is gone, and what was being posted at that moment may stand in the channel.
  const finders = turn.message === turn.thread.root ? [find, findLoose] : [find];
  const looks = finders.map((look) => unlessRateLimited(() => retrySlack(() => look(turn), patience)));
  const found = await Promise.all(looks);
  if (found.includes(undefined)) log?.('slack.not_searched');
  const left = found.flatMap((some) => some ?? []);
  const marked = left.filter(({ id, part }) => part !== undefined && !posted.includes(id));
  for (const { id } of marked) await remove(deps, turn, id, patience);
}

async function remove(
  { call, log }: Pick<SlackDeps, 'call' | 'log'>,
  turn: TurnRef,
  ts: MessageId,
  patience: RetryOptions,
): Promise<void> {
  const { channel } = turn.thread;
  const attempt = (): Promise<unknown> => retrySlack(() => call('chat.delete', { channel, ts }), patience);
  try {
    await attempt().catch(async (error: unknown) => {
      if (!(error instanceof SlackApiError) || !STREAMING.has(error.code)) throw error;
      await retrySlack(() => call('chat.stopStream', { channel, ts }), patience);
      await attempt();
    });
  } catch (error) {
    if (!(error instanceof SlackApiError)) throw error;
    if (!ALREADY.has(error.code)) log?.('slack.not_withdrawn', { reason: error.code });
  }
}
