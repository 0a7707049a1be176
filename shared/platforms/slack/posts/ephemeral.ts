import type { TurnRef, UserId } from '../../../domain/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { sanitize } from '../../markdown/index.ts';
import { getRefusalReason } from '../api/errors.ts';

const MAX_LENGTH = 3_000;

/** Adds an 👀 reaction to a message that waits. Never throws; without the scope `reactions:write` nothing happens. */
export async function showAcknowledged(
  { call, log }: Pick<SlackDeps, 'call' | 'log'>,
  turn: TurnRef,
): Promise<void> {
  const { channel } = turn.thread;
  try {
    await call('reactions.add', { channel, timestamp: turn.message, name: 'eyes' });
  } catch (error) {
    if (error instanceof SlackApiError && error.code === 'already_reacted') return;
    log?.('slack.reaction-failed', { reason: getRefusalReason(error) });
  }
}

/**
 * Posts an ephemeral message for `recipient`, which disappears when they reload Slack: in the thread, or in the channel if the thread has no
 * replies, since Slack does not show it there. It has none if the message replaces the answer to the root of the thread.
 * Resolves with whether Slack accepted it. Never throws. Source: docs.slack.dev/reference/methods/chat.postEphemeral.
 */
export async function postEphemeral(
  { call, log }: Pick<SlackDeps, 'call' | 'log'>,
  turn: TurnRef,
  recipient: UserId,
  words: string,
  replacesAnswer = false,
): Promise<boolean> {
  const { channel, root } = turn.thread;
  const inThread = replacesAnswer && turn.message === root ? {} : { thread_ts: root };
  const text = sanitize(words.slice(0, MAX_LENGTH).toWellFormed());
  try {
    await call('chat.postEphemeral', { channel, ...inThread, user: recipient, markdown_text: text });
    return true;
  } catch (error) {
    log?.('slack.ephemeral-failed', { reason: getRefusalReason(error) });
    return false;
  }
}
