import { type Card, type MessageId, messageId, NO_GUILD, type TurnRef } from '../../../domain/index.ts';
import { CannotPostError, type ThreadOrigin } from '../../ports/index.ts';
import { DiscordApiError, type DiscordCall, type DiscordRequest } from '../api/call.ts';
import { NO_MENTIONS } from '../api/enums.ts';
import { isFinalRefusal, toCannotPostError } from '../api/errors.ts';
import { readId, readList, readNumber } from '../api/json-path.ts';
import { hash, createNonce } from '../api/nonce.ts';
import { CARD_FLAG, renderCard } from '../blocks/card-components.ts';
import { toThread } from '../inbound/conversation-key.ts';
import { msToSnowflake } from '../../../utils/index.ts';

export type StartThreadDeps = {
  readonly call: DiscordCall;
  readonly applicationId: string;
  readonly withRetries: <T>(request: () => Promise<T>) => Promise<T>;
  readonly sendForId: (request: DiscordRequest) => Promise<MessageId>;
};

type SinglePost = Pick<ThreadOrigin, 'id' | 'maybePostedSince'> & { readonly channel: string };

const PAGE_SIZE = 100;
/** The number of messages after the first attempt that are searched. */
const MAX_PAGES = 10;
/** Discord's ids have the time of its own clock. */
const MAX_CLOCK_SKEW_MS = 60_000;

/**
 * Posts a card that begins a thread, once for each id of the origin: by its nonce within minutes, later by the mark of its container, if the origin
 * says that it may have been posted. Rejects with CannotPostError where Discord refuses it for good, such as in a forum, or as the requests do.
 */
export async function startThread(origin: ThreadOrigin, card: Card, deps: StartThreadDeps): Promise<TurnRef> {
  const { channel, workspace, by } = origin;
  if (channel === undefined) throw new CannotPostError('there is no channel');
  try {
    const message = await postOnce({ ...origin, channel }, card, deps);
    const guild = String(workspace) === NO_GUILD ? undefined : workspace;
    const thread = toThread(guild, channel, guild === undefined ? channel : message);
    return { thread, message, asker: by.user, askerWorkspace: by.workspace };
  } catch (error) {
    throw isFinalRefusal(error) ? toCannotPostError(error) : error;
  }
}

/** Posts a card once for each id: see `startThread`. Rejects as the requests do. */
export async function postOnce(post: SinglePost, card: Card, deps: StartThreadDeps): Promise<MessageId> {
  const [container] = renderCard(card);
  const components = [{ ...container, id: deriveMark(post.id) }];
  const body = { components, flags: CARD_FLAG, allowed_mentions: NO_MENTIONS, ...createNonce(post.id) };
  const path = `/channels/${post.channel}/messages`;
  return (await findPosted(post, deps)) ?? deps.sendForId({ method: 'POST', path, body });
}

/** Above the ids that Discord gives to components, which count from 1. */
const FIRST_MARK = 2 ** 30;

/**
 * The id of the container of a card: a number of 31 bits for the key of the post. Discord keeps the ids that an app gives to components, and shows
 * them to everybody who reads the message: docs:components/reference. A nonce is not shown later.
 */
const deriveMark = (key: string): number =>
  FIRST_MARK + (Number.parseInt(hash(key).slice(0, 8), 16) % FIRST_MARK);

/** Finds what an earlier attempt posted. Undefined if there is nothing, or the bot may not read the channel: then a second post is possible. */
async function findPosted(
  { id, channel, maybePostedSince }: SinglePost,
  { call, applicationId, withRetries }: StartThreadDeps,
): Promise<MessageId | undefined> {
  if (maybePostedSince === undefined) return undefined;
  let after = msToSnowflake(maybePostedSince - MAX_CLOCK_SKEW_MS);
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const path = `/channels/${channel}/messages?after=${after}&limit=${PAGE_SIZE}`;
    const messages = await withRetries(() => call({ method: 'GET', path })).catch((error: unknown) => {
      if (error instanceof DiscordApiError) return [];
      throw error;
    });
    const listed = readList({ messages }, 'messages');
    const posted = listed.find(
      (one) =>
        readId(one, 'author', 'id') === applicationId &&
        readList(one, 'components').some((component) => readNumber(component, 'id') === deriveMark(id)),
    );
    const postedId = readId(posted, 'id');
    if (postedId !== undefined) return messageId(postedId);
    if (listed.length < PAGE_SIZE) return undefined;
    // Newest first.
    after = listed.map((one) => readId(one, 'id') ?? '0').reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b));
  }
  return undefined;
}
