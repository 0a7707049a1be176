import { type MessageId, messageId, userId } from '../../../domain/index.ts';
import {
  type History,
  type HistoryMessage,
  type HistoryPlace,
  type HistoryRange,
  HistoryUnavailableError,
} from '../../ports/index.ts';
import { DiscordRateLimitError } from '../api/call.ts';
import { retryDiscord, getRefusalKind } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { readValue, readId, readList, readNumber, readString } from '../api/json-path.ts';
import { isMissing, findMissing, type PermissionFinder } from './permissions.ts';
import { parseAttachments } from '../inbound/attachments.ts';
import { getMessageWords } from './message-words.ts';
import { readReplyChain } from './reply-chain.ts';
import { snowflakeToMs } from '../../../utils/index.ts';

/** The page size of Discord. */
const PAGE_SIZE = 100;
const TIMEOUT_MS = 30_000;
const MAX_NAME_LENGTH = 80;
/** Messages of people and apps: a message, a reply, the response to a slash or message command. See docs:resources/message#message-types. */
const MESSAGE_TYPES: ReadonlySet<unknown> = new Set([0, 19, 20, 23]);
/** The first message of a thread, which represents the message from which the thread was created. */
const THREAD_STARTER = 21;

export type HistoryDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId'> & {
  readonly permissions: PermissionFinder;
};

type Pages = { readonly messages: unknown[]; readonly incomplete: History['incomplete'] };

/** Reads a channel with its latest threads, or a thread: see `ThreadReader.readHistory`. */
export async function readHistory(
  deps: HistoryDeps,
  place: HistoryPlace,
  range: HistoryRange,
): Promise<History> {
  // In a direct channel, channel and root are the same.
  const channel = place.root === undefined ? String(place.channel) : String(place.root);
  try {
    await throwIfUnreadable(deps, place);
    const { messages, incomplete } = await readPages(deps, channel, range).catch((error: unknown) =>
      place.root === undefined ? Promise.reject(error) : readAsReplyChain(deps, place, error),
    );
    const { replies, left: unreadThreads } = await readThreadReplies(deps, messages, place, range);
    const all = [
      ...messages.flatMap((one) => toHistoryMessages(one, { place, channel, self: deps.applicationId })),
      ...replies,
    ].toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    const withText = all.filter(({ text }) => text !== '');
    // Without the intent Message Content, Discord omits the content of messages of others.
    if (all.length > 0 && withText.length === 0) throw new HistoryUnavailableError('wordless');
    return { messages: withText, incomplete, unreadThreads, withoutText: all.length - withText.length };
  } catch (error) {
    throw toHistoryError(error, place.root !== undefined);
  }
}

/** Without the permission Read Message History, Discord responds with an empty list instead of an error. */
async function throwIfUnreadable(
  { permissions }: HistoryDeps,
  { workspace, channel }: HistoryPlace,
): Promise<void> {
  const known = await permissions({ workspace, channel });
  if (!isMissing(known, 'ViewChannel') && !isMissing(known, 'ReadMessageHistory')) return;
  const names = findMissing(known, ['ViewChannel', 'ReadMessageHistory']).join(', ');
  throw new HistoryUnavailableError('no-permission', { permissions: names });
}

/** Reads the latest messages of a channel, newest first. */
async function readPages(
  { call, time }: HistoryDeps,
  channel: string,
  { since = 0, maxMessages }: HistoryRange,
): Promise<Pages> {
  const messages: unknown[] = [];
  const retryOptions = { time, deadline: time.now() + TIMEOUT_MS };
  let before = '';
  for (;;) {
    const path = `/channels/${channel}/messages?limit=${PAGE_SIZE}${before}`;
    let response: unknown;
    try {
      response = await retryDiscord(() => call({ method: 'GET', path }), retryOptions);
    } catch (error) {
      if (messages.length === 0 || !isRateLimited(error)) throw error;
      return { messages, incomplete: 'slowed' };
    }
    const all = readList({ found: response }, 'found');
    const inRange = all.filter((one) => snowflakeToMs(readId(one, 'id') ?? '0') >= since);
    messages.push(...inRange);
    const last = readId(all.at(-1), 'id');
    if (last === undefined || inRange.length < PAGE_SIZE)
      return { messages: messages.slice(0, maxMessages), incomplete: undefined };
    if (messages.length >= maxMessages)
      return { messages: messages.slice(0, maxMessages), incomplete: 'older' };
    before = `&before=${last}`;
  }
}

/** Reads the chain of replies of a message from which no thread was created. */
async function readAsReplyChain(
  { call, time }: HistoryDeps,
  { channel, root }: HistoryPlace,
  error: unknown,
): Promise<Pages> {
  if (getRefusalKind(error) !== 'channel-not-found') throw error;
  const retryOptions = { time, deadline: time.now() + TIMEOUT_MS };
  return readReplyChain({ call }, { channel: String(channel), message: String(root) }, retryOptions);
}

/** Reads the replies in the most recently active threads of these messages. */
async function readThreadReplies(
  deps: HistoryDeps,
  messages: readonly unknown[],
  place: HistoryPlace,
  { since, maxThreads: threads = 0, maxMessages }: HistoryRange,
): Promise<{ readonly replies: readonly HistoryMessage[]; readonly left: number }> {
  const all = messages
    .filter((one) => (readNumber(one, 'thread', 'message_count') ?? 0) > 0)
    .toSorted((a, b) => (lastMessageId(a) < lastMessageId(b) ? 1 : -1));
  const replies: HistoryMessage[] = [];
  let threadsRead = 0;
  for (const one of all.slice(0, threads)) {
    const channel = readId(one, 'thread', 'id') ?? '';
    const response = await readPages(deps, channel, { since, maxMessages }).catch((error: unknown) => {
      if (isRateLimited(error) || getRefusalKind(error) !== undefined) return undefined;
      throw error;
    });
    if (!response) break;
    const inRange = response.messages.filter((reply) => readNumber(reply, 'type') !== THREAD_STARTER);
    replies.push(
      ...inRange.flatMap((reply) =>
        toHistoryMessages(reply, { place, channel, root: messageId(channel), self: deps.applicationId }),
      ),
    );
    threadsRead += 1;
  }
  return { replies, left: all.length - threadsRead };
}

/** The id of the last message in the thread of a message. */
const lastMessageId = (message: unknown): bigint =>
  BigInt(readId(message, 'thread', 'last_message_id') ?? '0');

type MessageContext = {
  readonly place: HistoryPlace;
  /** The channel or thread in Discord. */
  readonly channel: string;
  readonly root?: MessageId | undefined;
  /** The bot. Its mentions are removed. */
  readonly self: string;
};

/** Converts a message; empty for system messages. */
export function toHistoryMessages(
  rawMessage: unknown,
  { place, channel, root, self }: MessageContext,
): HistoryMessage[] {
  const isThreadStarter = readNumber(rawMessage, 'type') === THREAD_STARTER;
  const message = isThreadStarter ? readValue(rawMessage, 'referenced_message') : rawMessage;
  const id = readId(message, 'id');
  if (id === undefined || !MESSAGE_TYPES.has(readNumber(message, 'type'))) return [];
  const name =
    readString(message, 'author', 'global_name') ?? readString(message, 'author', 'username') ?? 'someone';
  const by = readId(message, 'author', 'id');
  return [
    {
      id: messageId(id),
      ...(root !== undefined && { root }),
      author: name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
      by: by === undefined ? undefined : userId(by),
      isBot: readValue(message, 'author', 'bot') === true,
      at: snowflakeToMs(id),
      text: messageText(message, self),
      attachments: parseAttachments(message),
      // For the first message of a thread, the one in the parent channel.
      link: `https://discord.com/channels/${place.workspace}/${readId(message, 'channel_id') ?? channel}/${id}`,
    },
  ];
}

const messageText = (message: unknown, self: string): string =>
  getMessageWords(message, (words) => {
    let text = words;
    for (const person of readList(message, 'mentions')) {
      const id = readId(person, 'id') ?? '';
      const name = readString(person, 'global_name') ?? readString(person, 'username') ?? '';
      text = text.replaceAll(new RegExp(`<@!?${id}>`, 'gu'), () => (id === self ? '' : `@${name}`));
    }
    return text;
  });

const isRateLimited = (error: unknown): boolean => getRateLimitWaitMs(error) !== undefined;

/** Returns the wait of any rate limit in ms; undefined for other errors. */
function getRateLimitWaitMs(error: unknown): number | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof DiscordRateLimitError ? cause.retryAfterMs : undefined;
}

function toHistoryError(error: unknown, ofThread: boolean): unknown {
  const retryAfterMs = getRateLimitWaitMs(error);
  if (retryAfterMs !== undefined)
    return new HistoryUnavailableError('slowed', { retryAfterMs, cause: error });
  const kind = getRefusalKind(error);
  if (kind === 'forbidden') return new HistoryUnavailableError('not-member', { cause: error });
  if (kind !== 'channel-not-found' && kind !== 'message-not-found') return error;
  return new HistoryUnavailableError(ofThread ? 'no-thread' : 'not-member', { cause: error });
}
