import type { MessageId, TurnRef } from '../../conversation/index.ts';
import { SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import { unlessRateLimited } from './history-limit.ts';
import type { FindLeftovers } from './leftovers.ts';
import { type Patience, persist } from './patience.ts';

const WITHIN_MS = 30_000;
const ALREADY = new Set(['message_not_found', 'thread_not_found']);
const STREAMING = new Set(['streaming_state_conflict', 'message_in_streaming_state']);

/**
 * Deletes the messages of a turn's answer: those known, then those in the thread that carry its mark, unless it is certain
 * that all are known, or Slack does not let the app look. What is deleted already counts as done; what Slack does not let the
 * app delete is logged. Rejects as SlackCall does, or with NotShown.
 */
export async function withdraw(
  deps: Pick<SlackDeps, 'call' | 'log' | 'time'> & {
    readonly find: FindLeftovers;
    readonly findLoose: FindLeftovers;
  },
  turn: TurnRef,
  posted: readonly MessageId[],
  certain = false,
): Promise<void> {
  const { time, log, find, findLoose } = deps;
  const patience = { time, deadline: time.now() + WITHIN_MS };
  for (const id of posted) await remove(deps, turn, id, patience);
  if (certain) return;
  // With the root its thread is gone, and what was being posted at that moment may stand in the channel.
  const finders = turn.message === turn.thread.root ? [find, findLoose] : [find];
  const looks = finders.map((look) => unlessRateLimited(() => persist(() => look(turn), patience)));
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
  patience: Patience,
): Promise<void> {
  const { channel } = turn.thread;
  const attempt = (): Promise<unknown> => persist(() => call('chat.delete', { channel, ts }), patience);
  try {
    await attempt().catch(async (error: unknown) => {
      if (!(error instanceof SlackRefused) || !STREAMING.has(error.code)) throw error;
      await persist(() => call('chat.stopStream', { channel, ts }), patience);
      await attempt();
    });
  } catch (error) {
    if (!(error instanceof SlackRefused)) throw error;
    if (!ALREADY.has(error.code)) log?.('slack.not_withdrawn', { reason: error.code });
  }
}
