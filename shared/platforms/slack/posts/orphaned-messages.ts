import * as v from 'valibot';
import { type MessageId, messageId, type TurnRef } from '../../../domain/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { identifier, type Identity, type WhoAmI } from '../lookup/bot-identity.ts';
import { TURN_EVENT } from './messages.ts';

/**
 * A message of a turn's answer. `part` is absent for a stream that nobody stopped, since a stream gets its metadata only
 * then: it may belong to any turn of the thread.
 */
export type OrphanedMessage = { readonly id: MessageId; readonly part?: number };

export type FindOrphans = (turn: TurnRef) => Promise<OrphanedMessage[]>;

const PAGE = 200;
/** A thread with more replies since the question is not searched further. */
const PAGES = 5;

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

const mark = v.object({ turn: v.string(), part: v.optional(v.number()) });

/**
 * Looks for messages of a turn in its thread: the bot's own, posted after the question, that carry the turn's mark, and
 * streams without any mark. Files, cards and what was said by a `response_url` are no answers, and are left out. Oldest
 * first. Rejects as SlackCall does.
 */
export function orphanFinder(
  deps: Pick<SlackDeps, 'call' | 'botUserId'>,
  whoAmI = identifier(deps),
): FindOrphans {
  const { call } = deps;
  return async (turn) => {
    const self = await whoAmI();
    const found: OrphanedMessage[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES; pages += 1) {
      const answer = await readPage(turn, cursor);
      if (!answer) return [];
      for (const message of answer.messages) {
        const left = leftoverOf(message, turn, self);
        if (left) found.push(left);
      }
      cursor = answer.response_metadata?.next_cursor;
      if (!cursor) break;
    }
    return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };

  async function readPage(turn: TurnRef, cursor: string | undefined) {
    const { channel, root } = turn.thread;
    const range = { oldest: turn.message, include_all_metadata: true, limit: PAGE };
    try {
      const next = cursor === undefined ? {} : { cursor };
      return v.parse(page, await call('conversations.replies', { channel, ts: root, ...range, ...next }));
    } catch (error) {
      if (error instanceof SlackApiError && CANNOT_LOOK.has(error.code)) return undefined;
      throw error;
    }
  }
}

/**
 * Looks for messages of a turn that stand in the channel itself: Slack puts them there when the root of their thread
 * was deleted. Only the first page after the question is searched. Rejects as SlackCall does.
 */
export function untiedFinder({ call }: Pick<SlackDeps, 'call'>, whoAmI: WhoAmI): FindOrphans {
  return async (turn) => {
    const range = { oldest: turn.message, include_all_metadata: true, limit: PAGE };
    try {
      const self = await whoAmI();
      const { messages } = v.parse(
        page,
        await call('conversations.history', { channel: turn.thread.channel, ...range }),
      );
      const left = messages.flatMap((message) => leftoverOf(message, turn, self) ?? []);
      return left.filter(({ part }) => part !== undefined);
    } catch (error) {
      if (error instanceof SlackApiError && CANNOT_LOOK.has(error.code)) return [];
      throw error;
    }
  };
}

/**
 * An app installed for mentions only has no history scope: it cannot look, and lives with the small chance that a
 * message whose posting was in doubt stands twice. A thread that is gone has nothing left in it.
 */
export const CANNOT_LOOK: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'method_not_supported_for_channel_type',
  'thread_not_found',
  'message_not_found',
]);

function leftoverOf(message: unknown, turn: TurnRef, self: Identity): OrphanedMessage | undefined {
  const parsed = v.safeParse(reply, message);
  if (!parsed.success) return undefined;
  const { ts, user, bot_id: bot, streaming_state: stream, metadata } = parsed.output;
  const own = user === self.user || (bot !== undefined && bot === self.bot);
  if (!own || ts <= turn.message) return undefined;
  if (metadata?.event_type === undefined) return stream === undefined ? undefined : { id: messageId(ts) };
  if (metadata.event_type !== TURN_EVENT) return undefined;
  const payload = v.safeParse(mark, metadata.event_payload);
  if (!payload.success || payload.output.turn !== turn.message) return undefined;
  return { id: messageId(ts), part: payload.output.part ?? 0 };
}
