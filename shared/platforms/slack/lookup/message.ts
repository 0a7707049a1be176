import * as v from 'valibot';
import { messageId, type MessageId, type Thread, type TurnRef, userId } from '../../../domain/index.ts';
import type { FoundMessage } from '../../ports/platform.ts';
import { attachmentsOf } from '../inbound/attachments.ts';
import { isGone } from '../api/errors.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { id, maybeId, maybeTs, threadAt } from '../oauth/installation.ts';
import { SEARCH_REFUSED } from '../answer/orphaned-messages.ts';
import { retrySlack } from '../api/retry.ts';

const TIMEOUT_MS = 15_000;

const page = v.object({
  messages: v.array(
    v.object({
      ts: v.string(),
      thread_ts: maybeTs,
      user: v.nullish(id),
      bot_id: maybeId,
      text: v.nullish(v.string()),
      files: v.nullish(v.array(v.unknown())),
    }),
  ),
});

const isNotThere = (code: string): boolean => isGone(code) || code === 'thread_not_found';

/** A message as it stands; undefined where it is gone or may not be read. Rejects when Slack cannot be asked. */
export async function findMessage(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  { workspace, channel }: Pick<Thread, 'workspace' | 'channel'>,
  message: MessageId,
): Promise<FoundMessage | undefined> {
  const look = () => lookUp(call, channel, message);
  const found = await retrySlack(look, { time, deadline: time.now() + TIMEOUT_MS }).catch(
    (error: unknown) => {
      if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return undefined;
      throw error;
    },
  );
  if (!found) return undefined;
  return {
    thread: threadAt(workspace, channel, found.thread_ts ?? found.ts),
    id: messageId(found.ts),
    author: userId(found.user ?? found.bot_id ?? 'unknown'),
    text: found.text ?? '',
    attachments: attachmentsOf(found.files),
  };
}

/** Whether a turn's message is gone; where Slack does not tell at once, it counts as there. Never rejects. */
export async function isGoneMessage(
  { call }: Pick<SlackDeps, 'call'>,
  { thread, message }: TurnRef,
): Promise<boolean> {
  return lookUp(call, thread.channel, message).then(
    (found) => found === undefined,
    () => false,
  );
}

async function lookUp(call: SlackCall, channel: string, message: MessageId) {
  const only = { oldest: message, latest: message, inclusive: true, limit: 2 };
  const answer = await call('conversations.replies', { channel, ts: message, ...only }).catch(
    (error: unknown) => {
      if (error instanceof SlackApiError && isNotThere(error.code)) return undefined;
      throw error;
    },
  );
  return answer && v.parse(page, answer).messages.find(({ ts }) => ts === message);
}
