import type { AnyChunk, KnownBlock, TaskUpdateChunk } from '@slack/types';
import * as v from 'valibot';
import { type MessageId, messageId, type TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import type { Body } from '../blocks/answer-blocks.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { isGone } from '../api/errors.ts';
import { isOrganization } from '../api/payload-fields.ts';

/** The metadata event type of the messages of an answer, by which a later worker finds them. */
export const TURN_EVENT = 'parley_turn';

/** The content with which a stream ends. */
export type LastMessage = {
  readonly words?: string | undefined;
  readonly cards?: readonly TaskUpdateChunk[];
  readonly under?: readonly KnownBlock[];
};

/**
 * The requests that make up an answer; each method sends one. They reject as SlackCall does. Those that create a message reject with
 * ThreadDeletedError if its thread is deleted, and from then on send nothing.
 */
export interface Messages {
  /** Starts a stream with its first text or task cards (`toTaskChunk`). Slack accepts its metadata only when it stops. */
  start(words: string, cards: readonly TaskUpdateChunk[]): Promise<MessageId>;
  append(id: MessageId, words: string, cards: readonly TaskUpdateChunk[]): Promise<void>;
  stop(id: MessageId, part: number, last: LastMessage): Promise<void>;
  post(part: number, body: Body): Promise<MessageId>;
  /** Updates the message. Markdown alone replaces its text but keeps its blocks. */
  update(id: MessageId, part: number, body: Body): Promise<void>;
  remove(id: MessageId): Promise<void>;
  /** Messages that were posted outside of the thread and could not be deleted yet. */
  readonly unthreadedPosts: MessageId[];
}

/**
 * Turns link previews off, which would fetch URLs that a model has made up. `chat.update` creates none; streams have no such argument
 * (slackapi/node-slack-sdk#2389).
 */
export const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

const THREAD_GONE_CODES = new Set(['invalid_thread_ts', 'thread_not_found']);

/** The channel is deleted or closed, or the app was removed. The message is Slack's error code. */
export class ChannelGoneError extends ThreadDeletedError {}

/** Sends requests until the channel is gone; from then on rejects without a request. */
function untilChannelGone(slack: SlackCall): SlackCall {
  let channelError: ChannelGoneError | undefined;
  return async (method, args) => {
    if (channelError) throw channelError;
    try {
      return await slack(method, args);
    } catch (error) {
      if (error instanceof SlackApiError && isGone(error.code)) {
        channelError = new ChannelGoneError(error.code, { cause: error });
      }
      throw channelError ?? error;
    }
  };
}

/** Calls that abort `stopped` when Slack says that the person has stopped the answer, or that nothing can be posted in the channel any more. */
export function abortWhenStopped(call: SlackCall, stopped: AbortController): SlackCall {
  return async (method, args) => {
    try {
      return await call(method, args);
    } catch (error) {
      if (error instanceof SlackApiError && (error.code === 'stopped_by_user' || isGone(error.code)))
        stopped.abort(error);
      throw error;
    }
  };
}

/** Creates the requests for the messages of one answer. From a `ChannelGoneError` on, none is sent. */
export function createMessages(slack: SlackCall, turn: TurnRef): Messages {
  const call = untilChannelGone(slack);
  const { channel, root } = turn.thread;
  const turnMetadata = (part: number) => ({
    metadata: { event_type: TURN_EVENT, event_payload: { turn: turn.message, part } },
  });
  const unthreadedPosts: MessageId[] = [];
  let threadError: ThreadDeletedError | undefined;
  const remove = async (ts: MessageId): Promise<void> => {
    await call('chat.delete', { channel, ts });
  };
  const post = async (method: string, args: Record<string, unknown>): Promise<MessageId> => {
    if (threadError) throw threadError;
    const response = await send(method, { channel, thread_ts: root, ...args });
    const ts = messageId(response.ts);
    if (await isUnthreaded(call, turn.thread, response)) {
      unthreadedPosts.push(ts);
      threadError = new ThreadDeletedError('the root message of the thread is deleted');
      await remove(ts).then(
        () => unthreadedPosts.pop(),
        () => undefined,
      );
      throw threadError;
    }
    return ts;
  };
  const send = async (method: string, args: Record<string, unknown>) => {
    try {
      return v.parse(postedSchema, await call(method, args));
    } catch (error) {
      if (!(error instanceof SlackApiError) || !THREAD_GONE_CODES.has(error.code)) throw error;
      threadError = new ThreadDeletedError('the thread does not exist any more', { cause: error });
      throw threadError;
    }
  };
  return {
    unthreadedPosts,
    start: (words, cards) => post('chat.startStream', { ...getRecipient(turn), ...toChunks(words, cards) }),
    append: async (ts, words, cards) => {
      await call('chat.appendStream', { channel, ts, ...toChunks(words, cards) });
    },
    stop: async (ts, part, { words = '', cards = [], under = [] }) => {
      const blocks = under.length > 0 ? { blocks: under } : {};
      await call('chat.stopStream', {
        channel,
        ts,
        ...toChunks(words, cards),
        ...blocks,
        ...turnMetadata(part),
      });
    },
    post: (part, body) => post('chat.postMessage', { ...NO_PREVIEWS, ...body, ...turnMetadata(part) }),
    update: async (ts, part, body) => {
      await call('chat.update', { channel, ts, ...body, ...turnMetadata(part) });
    },
    remove,
  };
}

/** Optional in a direct chat; in a channel, there are streams only to people whose workspace is known. */
const getRecipient = ({ asker, askerWorkspace }: TurnRef) =>
  isOrganization(askerWorkspace) ? {} : { recipient_team_id: askerWorkspace, recipient_user_id: asker };

/**
 * Text and task cards of a stream. Always as chunks: a stream that began with plain Markdown accepts no task cards, and vice versa
 * (`streaming_mode_mismatch`).
 */
function toChunks(words: string, cards: readonly TaskUpdateChunk[]): { chunks?: AnyChunk[] } {
  const all: AnyChunk[] = [...cards];
  if (words !== '') all.push({ type: 'markdown_text', text: words });
  return all.length > 0 ? { chunks: all } : {};
}

/** The response to a post. */
export const postedSchema = v.object({
  ts: v.pipe(v.string(), v.minLength(1)),
  message: v.optional(v.object({ thread_ts: v.optional(v.string()) })),
});

/**
 * Whether a message for the thread of `root` was posted in the channel itself. If the root is deleted, Slack ignores `thread_ts`, and its
 * response has none. A proxy or test server may omit it from all responses, so the root is looked up before the message counts as
 * unthreaded.
 */
export async function isUnthreaded(
  call: SlackCall,
  { channel, root }: { readonly channel: string; readonly root: string },
  { message }: v.InferOutput<typeof postedSchema>,
): Promise<boolean> {
  if (!message || message.thread_ts === root) return false;
  try {
    await call('conversations.replies', { channel, ts: root, limit: 1 });
    return false;
  } catch (error) {
    return !(error instanceof SlackApiError && error.code === 'unknown_method');
  }
}
