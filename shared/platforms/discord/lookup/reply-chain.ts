import type { RetryOptions } from '../../index.ts';
import type { History } from '../../ports/index.ts';
import { retryDiscord, getRefusalKind } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { readValue, readId, readList, readNumber } from '../api/json-path.ts';

/** How many messages of a reply chain are read upwards, each with one request. */
const MAX_HOPS = 50;
/** How many pages of messages after the first of the chain are searched for replies. */
const MAX_PAGES = 5;
const PAGE_SIZE = 100;
/** Forwarded messages have references too: see docs:resources/message#message-reference-types. */
const REPLY_REFERENCE = 0;

export type ReplyChain = { readonly messages: unknown[]; readonly incomplete: History['incomplete'] };

/**
 * Reads the conversation of a message without a thread: the message that it replies to, and so on up to the first one, then all later
 * messages in the channel that reply to any of them. Unordered. Rejects if the message is deleted.
 */
export async function readReplyChain(
  { call }: Pick<DiscordDeps, 'call'>,
  { channel, message }: { readonly channel: string; readonly message: string },
  retryOptions: RetryOptions,
): Promise<ReplyChain> {
  const get = (path: string): Promise<unknown> =>
    retryDiscord(() => call({ method: 'GET', path: `/channels/${channel}/messages${path}` }), retryOptions);
  const chain = await readUpwards(await get(`/${message}`), (id) => get(`/${id}`));
  const ids = new Set(chain.map((one) => readId(one, 'id')));
  const replies: unknown[] = [];
  let after = readId(chain.at(-1), 'id') ?? message;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const pageMessages = readList({ found: await get(`?after=${after}&limit=${PAGE_SIZE}`) }, 'found');
    // Discord lists the following messages in descending order.
    for (const one of pageMessages.toReversed()) {
      const id = readId(one, 'id');
      const repliedTo = repliedMessageId(one);
      if (id === undefined || repliedTo === undefined || ids.has(id) || !ids.has(repliedTo)) continue;
      ids.add(id);
      replies.push(one);
    }
    after = readId(pageMessages[0], 'id') ?? after;
    if (pageMessages.length < PAGE_SIZE)
      return { messages: [...chain, ...replies], incomplete: getTruncation(chain) };
  }
  return { messages: [...chain, ...replies], incomplete: getTruncation(chain) ?? 'later' };
}

const getTruncation = (chain: readonly unknown[]): ReplyChain['incomplete'] =>
  chain.length > MAX_HOPS ? 'older' : undefined;

/** A message and those above it in the chain. The first message of the chain is last. */
async function readUpwards(message: unknown, get: (id: string) => Promise<unknown>): Promise<unknown[]> {
  const chain = [message];
  while (chain.length <= MAX_HOPS) {
    const below = chain.at(-1);
    const id = repliedMessageId(below);
    if (id === undefined) break;
    // Discord includes the referenced message, but not the one that it references.
    const above = readValue(below, 'referenced_message') ?? (await undefinedIfDeleted(get(id)));
    if (!above) break;
    chain.push(above);
  }
  return chain;
}

/** The id of the message that a message replies to. */
const repliedMessageId = (message: unknown): string | undefined =>
  (readNumber(message, 'message_reference', 'type') ?? REPLY_REFERENCE) === REPLY_REFERENCE
    ? readId(message, 'message_reference', 'message_id')
    : undefined;

/** Undefined if the message is deleted. */
const undefinedIfDeleted = (message: Promise<unknown>): Promise<unknown> =>
  message.catch((error: unknown) => {
    if (getRefusalKind(error) === 'message-not-found') return undefined;
    throw error;
  });
