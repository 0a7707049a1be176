import * as v from 'valibot';
import { messageId, type MessageId, type Thread, type TurnRef } from '../../../domain/index.ts';
import type { FoundMessage } from '../../ports/index.ts';
import { listMessageFiles, contentFields, getDisplayedText } from '../inbound/message-content.ts';
import { readText } from '../inbound/plain-text.ts';
import { isGone, isRestricted, SEARCH_REFUSED } from '../api/errors.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { authorFields, getAuthor, optionalTs, toThread } from '../api/payload-fields.ts';
import { retrySlack } from '../api/retry.ts';

const TIMEOUT_MS = 15_000;

const messagesResponse = v.object({
  messages: v.array(
    v.object({
      ts: v.string(),
      thread_ts: optionalTs,
      ...authorFields,
      files: v.nullish(v.array(v.unknown())),
      ...contentFields,
    }),
  ),
});

/** Slack's restrictions of posts say nothing of the message. */
const isNotFound = (code: string): boolean =>
  (isGone(code) && !isRestricted(code)) || code === 'thread_not_found';

/** Reads a message; undefined if it is deleted or the bot may not read it. Rejects if Slack does not respond. */
export async function findMessage(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  { workspace, channel }: Pick<Thread, 'workspace' | 'channel'>,
  message: MessageId,
): Promise<FoundMessage | undefined> {
  const request = () => lookUp(call, channel, message);
  const response = await retrySlack(request, { time, deadline: time.now() + TIMEOUT_MS }).catch(
    (error: unknown) => {
      if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return undefined;
      throw error;
    },
  );
  if (!response) return undefined;
  return {
    thread: toThread(workspace, channel, response.thread_ts ?? response.ts),
    id: messageId(response.ts),
    ...getAuthor(response),
    text: readText(getDisplayedText(response), undefined),
    attachments: listMessageFiles(response),
  };
}

/** Whether the message of a turn is deleted; false if Slack does not respond. Sent once, without a retry. Never rejects. */
export async function isMessageDeleted(
  { call }: Pick<SlackDeps, 'call'>,
  { thread, message }: TurnRef,
): Promise<boolean> {
  const isGoneFrom = (one: MessageId): Promise<boolean> =>
    lookUp(call, thread.channel, one).then(
      (match) => match === undefined,
      () => false,
    );
  return (await isGoneFrom(message)) || (message !== thread.root && (await isGoneFrom(thread.root)));
}

/** Requests one message; undefined if it is deleted. Rejects as SlackCall does. */
export async function lookUp(call: SlackCall, channel: string, message: MessageId) {
  const range = { oldest: message, latest: message, inclusive: true, limit: 2 };
  const response = await call('conversations.replies', { channel, ts: message, ...range }).catch(
    (error: unknown) => {
      if (error instanceof SlackApiError && isNotFound(error.code)) return undefined;
      throw error;
    },
  );
  return (
    response &&
    v.parse(messagesResponse, response).messages.find(
      // Slack keeps a tombstone of a deleted message that has replies.
      ({ ts, subtype }) => ts === message && subtype !== 'tombstone',
    )
  );
}
