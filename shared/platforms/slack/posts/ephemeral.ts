import * as v from 'valibot';
import type { TurnRef, UserId } from '../../../domain/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { sanitize } from '../../markdown/index.ts';

const MAX_LENGTH = 3_000;

/** Puts eyes under a message that waits for its turn. Never throws; an app without the right to react does not. */
export async function showAcknowledged(
  { call, log }: Pick<SlackDeps, 'call' | 'log'>,
  turn: TurnRef,
): Promise<void> {
  const { channel } = turn.thread;
  try {
    await call('reactions.add', { channel, timestamp: turn.message, name: 'eyes' });
  } catch (error) {
    if (error instanceof SlackApiError && error.code === 'already_reacted') return;
    log?.('slack.not_noticed', { reason: refusalReason(error) });
  }
}

/**
 * Says what `to` alone sees, until they load Slack anew: in the thread, or in the channel where the thread has no replies,
 * since Slack shows it in a thread only if that has some. It has none where this stands `instead` of the answer to the
 * question that the thread begins with. Resolves with whether Slack took it. Never throws. Source: docs.slack.dev/reference/methods/chat.postEphemeral.
 */
export async function postEphemeral(
  { call, log }: Pick<SlackDeps, 'call' | 'log'>,
  turn: TurnRef,
  to: UserId,
  words: string,
  instead = false,
): Promise<boolean> {
  const { channel, root } = turn.thread;
  const inThread = instead && turn.message === root ? {} : { thread_ts: root };
  const text = sanitize(words.slice(0, MAX_LENGTH).toWellFormed());
  try {
    await call('chat.postEphemeral', { channel, ...inThread, user: to, markdown_text: text });
    return true;
  } catch (error) {
    log?.('slack.not_whispered', { reason: refusalReason(error) });
    return false;
  }
}

/** What may be written down of a failed call. */
export function refusalReason(error: unknown): string {
  if (error instanceof SlackApiError) return error.code;
  // Its message quotes what Slack answered: people's words among it.
  if (v.isValiError(error)) return error.name;
  return error instanceof Error ? error.message : 'unknown';
}
