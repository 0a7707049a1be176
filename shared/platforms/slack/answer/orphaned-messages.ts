import * as v from 'valibot';
import { type MessageId, messageId, type TurnRef } from '../../../domain/index.ts';
import type { ReplyContext } from '../../ports/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { createBotIdentityFinder, type BotIdentity, type FindBotIdentity } from '../lookup/bot-identity.ts';
import { TURN_EVENT } from '../posts/messages.ts';
import { SEARCH_REFUSED } from '../api/errors.ts';

/**
 * A message of a turn's answer that an earlier attempt has left. `part` is its index in the answer. It is undefined for a stream
 * that was never closed: a stream has no metadata until then, and may belong to any turn of the thread.
 */
export type OrphanedMessage = { readonly id: MessageId; readonly part?: number };

export type FindOrphans = (turn: TurnRef) => Promise<OrphanedMessage[]>;

const PAGE_SIZE = 200;
/** Replies behind so many pages after the question are not searched. */
const MAX_PAGES = 5;

const page = v.object({
  messages: v.array(v.record(v.string(), v.unknown())),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});

const reply = v.object({
  ts: v.string(),
  user: v.optional(v.string()),
  bot_id: v.optional(v.string()),
  streaming_state: v.optional(v.string()),
  metadata: v.optional(
    v.object({ event_type: v.optional(v.string()), event_payload: v.optional(v.unknown()) }),
  ),
});

const metadataSchema = v.object({ turn: v.string(), part: v.optional(v.number()) });

/**
 * Finds messages of a turn's answer in its thread, oldest first: the bot's own, posted after the question, with the turn's
 * metadata, and streams without metadata. Files, cards and responses by `response_url` are no answers. Rejects as SlackCall
 * does.
 */
export function createOrphanFinder(
  deps: Pick<SlackDeps, 'call' | 'botUserId'>,
  whoAmI = createBotIdentityFinder(deps),
): FindOrphans {
  const { call } = deps;
  return async (turn) => {
    const self = await whoAmI();
    const orphans: OrphanedMessage[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const replies = await readPage(turn, cursor);
      if (!replies) return [];
      for (const message of replies.messages) {
        const orphan = toOrphan(message, turn, self);
        if (orphan) orphans.push(orphan);
      }
      cursor = replies.response_metadata?.next_cursor;
      if (!cursor) break;
    }
    return orphans.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };

  async function readPage(turn: TurnRef, cursor: string | undefined) {
    const { channel, root } = turn.thread;
    const range = { oldest: turn.message, include_all_metadata: true, limit: PAGE_SIZE };
    try {
      const next = cursor === undefined ? {} : { cursor };
      return v.parse(page, await call('conversations.replies', { channel, ts: root, ...range, ...next }));
    } catch (error) {
      if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return undefined;
      throw error;
    }
  }
}

/**
 * Finds messages of a turn's answer in the channel itself: Slack posts them there when the root of their thread was deleted.
 * Searches the first page after the question only. Rejects as SlackCall does.
 */
export function createUnthreadedFinder(
  { call }: Pick<SlackDeps, 'call'>,
  whoAmI: FindBotIdentity,
): FindOrphans {
  return async (turn) => {
    const range = { oldest: turn.message, include_all_metadata: true, limit: PAGE_SIZE };
    try {
      const self = await whoAmI();
      const { messages } = v.parse(
        page,
        await call('conversations.history', { channel: turn.thread.channel, ...range }),
      );
      const orphans = messages.flatMap((message) => toOrphan(message, turn, self) ?? []);
      return orphans.filter(({ part }) => part !== undefined);
    } catch (error) {
      if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return [];
      throw error;
    }
  };
}

function toOrphan(message: unknown, turn: TurnRef, self: BotIdentity): OrphanedMessage | undefined {
  const parsed = v.safeParse(reply, message);
  if (!parsed.success) return undefined;
  const { ts, user, bot_id: bot, streaming_state: stream, metadata } = parsed.output;
  const isOwn = user === self.user || (bot !== undefined && bot === self.bot);
  if (!isOwn || ts <= turn.message) return undefined;
  if (metadata?.event_type === undefined) return stream === undefined ? undefined : { id: messageId(ts) };
  if (metadata.event_type !== TURN_EVENT) return undefined;
  const payload = v.safeParse(metadataSchema, metadata.event_payload);
  if (!payload.success || payload.output.turn !== turn.message) return undefined;
  return { id: messageId(ts), part: payload.output.part ?? 0 };
}

/** Finds the messages that may belong to one answer. A stream without metadata may belong to another answer of the thread. */
export async function findOwnMessages(
  find: FindOrphans,
  others: ReplyContext['others'] | undefined,
  turn: TurnRef,
): ReturnType<FindOrphans> {
  const orphaned = await find(turn);
  if (!others || orphaned.every(({ part }) => part !== undefined)) return orphaned;
  // For example of one whose question was deleted meanwhile.
  const foreign = new Set((await others()).posted);
  return orphaned.filter(({ id, part }) => part !== undefined || !foreign.has(id));
}
