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

const page = v.object({
  messages: v.array(v.unknown()),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});
const cardMessage = v.object({
  ts: v.string(),
  user: v.nullish(v.string()),
  bot_id: v.nullish(v.string()),
  metadata: v.object({
    event_type: v.literal(CARD_EVENT),
    event_payload: v.object({ card: v.string() }),
  }),
});

/** The id of a message in a list, if it is the card of the bot with this key. Messages of others may have any fields. */
const readCard =
  (self: BotIdentity, key: string) =>
  (message: unknown): MessageId[] => {
    const { success, output: data } = v.safeParse(cardMessage, message);
    if (!success || data.metadata.event_payload.card !== key) return [];
    const isOwn = data.user === self.user || (self.bot !== undefined && data.bot_id === self.bot);
    return isOwn ? [messageId(data.ts)] : [];
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
        const [card] = messages.flatMap(readCard(self, key));
        if (card !== undefined) return card;
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
    return messages.flatMap(readCard(self, key));
  } catch (error) {
    if (error instanceof SlackApiError && SEARCH_REFUSED.has(error.code)) return [];
    throw error;
  }
}
