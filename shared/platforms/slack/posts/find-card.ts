import type { MessageMetadata } from '@slack/types';
import * as v from 'valibot';
import { type ChannelId, type MessageId, messageId } from '../../../domain/index.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import type { BotIdentity, FindBotIdentity } from '../lookup/bot-identity.ts';
import { SEARCH_REFUSED } from '../api/errors.ts';

/** The metadata event type of a card, by which it is found again. */
const CARD_EVENT = 'parley_card';

/** The metadata by which a card is found again. */
export const createCardMetadata = (key: string): { readonly metadata: MessageMetadata } => ({
  metadata: { event_type: CARD_EVENT, event_payload: { card: key } },
});

/** A channel, or a thread in it. */
export type CardLocation = { readonly channel: ChannelId; readonly root?: MessageId | undefined };

const PAGE_SIZE = 200;
/** How many pages of a thread are searched. */
const MAX_PAGES = 5;

const posted = v.object({
  ts: v.string(),
  user: v.optional(v.string()),
  bot_id: v.optional(v.string()),
  metadata: v.optional(v.object({ event_type: v.optional(v.string()), event_payload: v.unknown() })),
});
const page = v.object({
  messages: v.array(posted),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});

const payload = v.object({ card: v.string() });
const readCardKey = (of: unknown): string | undefined => (v.is(payload, of) ? of.card : undefined);

/** Whether a message is the card of the bot with this key. */
const isCard =
  (self: BotIdentity, key: string) =>
  ({ user, bot_id: bot, metadata }: v.InferOutput<typeof posted>): boolean => {
    const isOwn = user === self.user || (bot !== undefined && bot === self.bot);
    return isOwn && metadata?.event_type === CARD_EVENT && readCardKey(metadata.event_payload) === key;
  };

/** Creates the function that finds a card of the bot by its key, in a thread or among the latest messages of a channel. */
export function createCardFinder(call: SlackCall, findBotIdentity: FindBotIdentity) {
  return async ({ channel, root }: CardLocation, key: string): Promise<MessageId | undefined> => {
    const self = await findBotIdentity();
    let cursor: string | undefined;
    try {
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const where = root === undefined ? { channel } : { channel, ts: root };
        const method = root === undefined ? 'conversations.history' : 'conversations.replies';
        const next = cursor === undefined ? {} : { cursor };
        const args = { ...where, include_all_metadata: true, limit: PAGE_SIZE, ...next };
        const { messages, response_metadata } = v.parse(page, await call(method, args));
        const card = messages.find(isCard(self, key));
        if (card) return messageId(card.ts);
        cursor = response_metadata?.next_cursor;
        // In a channel, only the latest page: the card cannot be older than its interaction.
        if (!cursor || root === undefined) return undefined;
      }
    } catch (error) {
      if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return undefined;
      throw error;
    }
    return undefined;
  };
}

/** Finds all cards of the bot with this key among the latest messages of a channel, the latest first; none where it may not look. */
export async function findCards(
  call: SlackCall,
  findBotIdentity: FindBotIdentity,
  channel: ChannelId,
  key: string,
): Promise<readonly MessageId[]> {
  const self = await findBotIdentity();
  const args = { channel, include_all_metadata: true, limit: PAGE_SIZE };
  try {
    const { messages } = v.parse(page, await call('conversations.history', args));
    return messages.filter(isCard(self, key)).map(({ ts }) => messageId(ts));
  } catch (error) {
    if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return [];
    throw error;
  }
}
