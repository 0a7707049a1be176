import * as z from 'zod/mini';
import { type ChannelId, type MessageId, messageId } from '../../conversation/index.ts';
import { type SlackCall, SlackRefused } from './call.ts';
import type { WhoAmI } from './identity.ts';
import { CANNOT_LOOK } from './leftovers.ts';

/** Marks a card, so that it is found again. */
export const CARD_EVENT = 'parley_card';

/** A channel, or a thread in it. */
export type Spot = { readonly channel: ChannelId; readonly root?: MessageId | undefined };

const PAGE = 200;
/** A thread with more replies is not searched further. */
const PAGES = 5;

const page = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      user: z.optional(z.string()),
      bot_id: z.optional(z.string()),
      metadata: z.optional(z.object({ event_type: z.optional(z.string()), event_payload: z.unknown() })),
    }),
  ),
  response_metadata: z.optional(z.object({ next_cursor: z.optional(z.string()) })),
});

const payload = z.object({ card: z.string() });
const keyIn = (of: unknown): string | undefined => payload.safeParse(of).data?.card;

/** Looks for a card of the bot's own by its key: in a thread, or among a channel's last messages. */
export function cardFinder(call: SlackCall, whoAmI: WhoAmI) {
  return async ({ channel, root }: Spot, key: string): Promise<MessageId | undefined> => {
    const self = await whoAmI();
    let cursor: string | undefined;
    try {
      for (let pages = 0; pages < PAGES; pages += 1) {
        const where = root === undefined ? { channel } : { channel, ts: root };
        const method = root === undefined ? 'conversations.history' : 'conversations.replies';
        const next = cursor === undefined ? {} : { cursor };
        const args = { ...where, include_all_metadata: true, limit: PAGE, ...next };
        const { messages, response_metadata } = page.parse(await call(method, args));
        const found = messages.find(({ user, bot_id: bot, metadata }) => {
          const own = user === self.user || (bot !== undefined && bot === self.bot);
          return own && metadata?.event_type === CARD_EVENT && keyIn(metadata.event_payload) === key;
        });
        if (found) return messageId(found.ts);
        cursor = response_metadata?.next_cursor;
        // Of a channel, the last messages alone: a call is not older than its card.
        if (!cursor || root === undefined) return undefined;
      }
    } catch (error) {
      if (error instanceof SlackRefused && CANNOT_LOOK.has(error.code)) return undefined;
      throw error;
    }
    return undefined;
  };
}
