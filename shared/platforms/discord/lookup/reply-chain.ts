import type { RetryOptions } from '../../retry.ts';
import type { History } from '../../ports/platform.ts';
import { retryDiscord, refusalKind } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { at, idAt, listAt, numberAt } from '../inbound/json-path.ts';

/** How many replies are gone up from a message, each by a request. */
const MAX_HOPS = 50;
/** Replies are looked for in so many pages of messages behind the first of the chain. */
const MAX_PAGES = 5;
const PAGE = 100;
/** A forwarded message refers to another, too: see docs:resources/message#message-reference-types. */
const REPLY = 0;

export type Chain = { readonly messages: unknown[]; readonly incomplete: History['incomplete'] };

/**
 * The conversation that a message belongs to where no thread hangs on it: what it replies to, what that replies to, and so on up
 * to the first message, then all replies to any of them that follow in the channel. In no order. Rejects where the message is gone.
 */
export async function readReplyChain(
  { call }: Pick<DiscordDeps, 'call'>,
  { channel, message }: { readonly channel: string; readonly message: string },
  patience: RetryOptions,
): Promise<Chain> {
  const get = (path: string): Promise<unknown> =>
    retryDiscord(() => call({ method: 'GET', path: `/channels/${channel}/messages${path}` }), patience);
  const chain = await upwards(await get(`/${message}`), (id) => get(`/${id}`));
  const ids = new Set(chain.map((one) => idAt(one, 'id')));
  const replies: unknown[] = [];
  let after = idAt(chain.at(-1), 'id') ?? message;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = listAt({ found: await get(`?after=${after}&limit=${PAGE}`) }, 'found');
    // Discord gives those that follow, the last of them first.
    for (const one of found.toReversed()) {
      const id = idAt(one, 'id');
      const repliedTo = repliedToBy(one);
      if (id === undefined || repliedTo === undefined || ids.has(id) || !ids.has(repliedTo)) continue;
      ids.add(id);
      replies.push(one);
    }
    after = idAt(found[0], 'id') ?? after;
    if (found.length < PAGE) return { messages: [...chain, ...replies], incomplete: cutAt(chain) };
  }
  return { messages: [...chain, ...replies], incomplete: cutAt(chain) ?? 'later' };
}

const cutAt = (chain: readonly unknown[]): Chain['incomplete'] =>
  chain.length > MAX_HOPS ? 'older' : undefined;

/** A message and those above it, the first one last. */
async function upwards(message: unknown, get: (id: string) => Promise<unknown>): Promise<unknown[]> {
  const chain = [message];
  while (chain.length <= MAX_HOPS) {
    const below = chain.at(-1);
    const id = repliedToBy(below);
    if (id === undefined) break;
    // Discord gives the message above along, but not what that one replies to.
    const above = at(below, 'referenced_message') ?? (await orGone(get(id)));
    if (!above) break;
    chain.push(above);
  }
  return chain;
}

/** What a message replies to. */
const repliedToBy = (message: unknown): string | undefined =>
  (numberAt(message, 'message_reference', 'type') ?? REPLY) === REPLY
    ? idAt(message, 'message_reference', 'message_id')
    : undefined;

/** Undefined for a message that was deleted. */
const orGone = (message: Promise<unknown>): Promise<unknown> =>
  message.catch((error: unknown) => {
    if (refusalKind(error) === 'message-not-found') return undefined;
    throw error;
  });
