import * as z from 'zod/mini';
import { type MessageId, messageId, type TurnRef } from '../../conversation/index.ts';
import type { SlackCall } from './call.ts';

/** Marks every message of an answer, so that a later worker finds it. */
export const TURN_EVENT = 'parley_turn';

/** Slack refuses more characters in one call. */
export const SLACK_LIMIT = 12_000;

/** The calls that make up an answer, each exactly one call of Slack's. They fail as SlackCall does. */
export interface Messages {
  /** Starts a stream with its first words. Its metadata can only be given when it stops. */
  start(text: string): Promise<MessageId>;
  append(id: MessageId, text: string): Promise<void>;
  /** Ends a stream, with its last words if there are any. */
  stop(id: MessageId, part: number, text?: string): Promise<void>;
  post(part: number, text: string): Promise<MessageId>;
  update(id: MessageId, part: number, text: string): Promise<void>;
  remove(id: MessageId): Promise<void>;
}

const posted = z.object({ ts: z.string().check(z.minLength(1)) });

/** Link previews would fetch addresses that a model made up; `chat.update` and `chat.stopStream` never make any. */
const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

export function createMessages(call: SlackCall, turn: TurnRef): Messages {
  const { channel, root } = turn.thread;
  const mark = (part: number) => ({
    metadata: { event_type: TURN_EVENT, event_payload: { turn: turn.message, part } },
  });
  const recipient = { recipient_team_id: turn.askerWorkspace, recipient_user_id: turn.asker };
  const post = async (method: string, args: Record<string, unknown>): Promise<MessageId> => {
    const answer = await call(method, { channel, thread_ts: root, ...NO_PREVIEWS, ...args });
    return messageId(posted.parse(answer).ts);
  };
  return {
    start: (text) => post('chat.startStream', { ...recipient, markdown_text: text }),
    append: async (ts, text) => {
      await call('chat.appendStream', { channel, ts, markdown_text: text });
    },
    stop: async (ts, part, text) => {
      const words = text === undefined ? {} : { markdown_text: text };
      await call('chat.stopStream', { channel, ts, ...words, ...mark(part) });
    },
    post: (part, text) => post('chat.postMessage', { markdown_text: text, ...mark(part) }),
    update: async (ts, part, text) => {
      await call('chat.update', { channel, ts, markdown_text: text, ...mark(part) });
    },
    remove: async (ts) => {
      await call('chat.delete', { channel, ts });
    },
  };
}
