import * as v from 'valibot';
import { messageId, userId } from '../../../domain/index.ts';
import {
  type History,
  type HistoryMessage,
  type HistoryPlace,
  type HistoryRange,
  HistoryUnavailableError,
} from '../../ports/index.ts';
import { SlackRateLimitError, SlackApiError } from '../api/call.ts';
import { isBot } from '../api/payload-fields.ts';
import type { SlackDeps } from '../deps.ts';
import type { FindBotIdentity } from './bot-identity.ts';
import { isReadForbidden } from '../api/read-forbidden.ts';
import type { FindDisplayName } from './display-name.ts';
import { findNames, nameMentions, limitNameLookups } from './mentions.ts';
import { retrySlack } from '../api/retry.ts';
import { parseAttachments } from '../inbound/attachments.ts';
import { parseSpokenMessage, type SpokenMessage, getSpokenText } from '../inbound/spoken-messages.ts';

/** The page size that Slack recommends as maximum. See docs.slack.dev/reference/methods/conversations.history. */
const PAGE_SIZE = 200;
const TIMEOUT_MS = 30_000;
const MAX_NAME_LENGTH = 80;

const pageResponse = v.object({
  messages: v.array(v.unknown()),
  has_more: v.optional(v.boolean()),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});
const permalinkResponse = v.object({ permalink: v.string() });

export type HistoryDeps = Pick<SlackDeps, 'call' | 'log' | 'time'> & {
  readonly whoAmI: FindBotIdentity;
  readonly nameOf: FindDisplayName;
};

type Method = 'conversations.history' | 'conversations.replies';
type Pages = { readonly messages: SpokenMessage[]; readonly incomplete: History['incomplete'] };

/** Reads a channel with its latest threads, or a thread: see `ThreadReader.readHistory`. */
export async function readHistory(
  deps: HistoryDeps,
  place: HistoryPlace,
  range: HistoryRange,
): Promise<History> {
  const { channel, root } = place;
  const oldest = range.since === undefined ? {} : sinceArguments(range.since);
  try {
    if (root !== undefined) {
      const read = await readPages(
        deps,
        'conversations.replies',
        { channel, ts: root, ...oldest },
        range.maxMessages,
      );
      return await toHistory(read, 0, deps, place);
    }
    const read = await readPages(deps, 'conversations.history', { channel, ...oldest }, range.maxMessages);
    const { replies, left: unreadThreads } = await readReplies(deps, place, read, range);
    const messages = [...read.messages, ...replies].toSorted((a, b) => Number(a.ts) - Number(b.ts));
    return await toHistory({ ...read, messages }, unreadThreads, deps, place);
  } catch (error) {
    throw toHistoryError(error);
  }
}

/**
 * Reads pages until there are `maxMessages`, in Slack's order, or until a rate limit asks for a long wait. Outside of the Marketplace, apps
 * may send one request a minute for each method, with 15 messages per page.
 * See docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
async function readPages(deps: HistoryDeps, method: Method, of: object, maxMessages: number): Promise<Pages> {
  const messages: SpokenMessage[] = [];
  const seen = new Set<string>();
  const retryOptions = { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS };
  let cursorArgument: object = {};
  for (let isFirst = true; ; isFirst = false) {
    const args = { ...of, limit: PAGE_SIZE, ...cursorArgument };
    const request = () => deps.call(method, args);
    let response: unknown;
    try {
      response = await retrySlack(request, retryOptions);
    } catch (error) {
      if (isFirst || !isRateLimited(error)) throw error;
      return { messages, incomplete: 'slowed' };
    }
    const { messages: page, has_more: more, response_metadata: meta } = v.parse(pageResponse, response);
    for (const one of page.flatMap((raw) => parseSpokenMessage(raw) ?? [])) {
      // Each page of a thread begins with its root.
      if (!seen.has(one.ts)) messages.push(one);
      seen.add(one.ts);
    }
    const cursor = meta?.next_cursor;
    if (!more || !cursor) return { messages: messages.slice(0, maxMessages), incomplete: undefined };
    if (messages.length >= maxMessages)
      return {
        messages: messages.slice(0, maxMessages),
        incomplete: method === 'conversations.history' ? 'older' : 'later',
      };
    cursorArgument = { cursor };
  }
}

/** The arguments for messages since a time (ms since 1970). Without `inclusive`, Slack leaves out the message of exactly that time. */
const sinceArguments = (since: number): object => ({ oldest: (since / 1_000).toFixed(6), inclusive: true });

/** The timestamp of the last reply to a message, in seconds; 0 without replies. */
const lastReplySeconds = (one: SpokenMessage): number => Number(one.latest_reply ?? 0);

/** Reads the replies in the most recently active threads of a channel. */
async function readReplies(
  deps: HistoryDeps,
  { channel }: HistoryPlace,
  { messages, incomplete }: Pages,
  { since = 0, maxThreads: threads = 0, maxMessages }: HistoryRange,
): Promise<{ readonly replies: readonly SpokenMessage[]; readonly left: number }> {
  const all = messages
    .filter((one) => (one.reply_count ?? 0) > 0 && lastReplySeconds(one) * 1_000 >= since)
    .toSorted((a, b) => lastReplySeconds(b) - lastReplySeconds(a));
  const replies: SpokenMessage[] = [];
  let read = 0;
  for (const { ts } of incomplete === 'slowed' ? [] : all.slice(0, threads)) {
    if (messages.length + replies.length >= maxMessages) break;
    const of = { channel, ts, ...sinceArguments(Math.max(since, 1)) };
    const page = await readPages(deps, 'conversations.replies', of, maxMessages).catch((error: unknown) => {
      if (!isRateLimited(error)) throw error;
      return undefined;
    });
    if (!page) break;
    // The root is among the messages of the channel.
    replies.push(...page.messages.filter((one) => one.ts !== ts && !one.isBroadcast));
    read += 1;
    if (page.incomplete === 'slowed') break;
  }
  return { replies, left: all.length - read };
}

async function toHistory(
  { messages, incomplete }: Pages,
  unreadThreads: number,
  deps: HistoryDeps,
  { channel, root }: HistoryPlace,
): Promise<History> {
  const { user: self } = await deps.whoAmI();
  const permalinkOf = await permalinkBuilder(deps, channel, messages.at(-1)?.ts);
  const authors = new Set(messages.flatMap(({ user }) => user ?? []));
  const sorted = messages.toSorted((a, b) => Number(a.ts) - Number(b.ts));
  const texts = sorted.map((one) => getSpokenText(one, self));
  const [names, words] = await limitNameLookups(deps.nameOf, deps.time, (nameOf) =>
    Promise.all([findNames([...authors], nameOf), nameMentions(texts, nameOf)]),
  );
  const all = sorted.map((one, index): HistoryMessage => {
    const thread = root ?? (one.thread_ts === one.ts ? undefined : one.thread_ts);
    const author = one.botName ?? names.get(one.user ?? '') ?? 'someone';
    return {
      id: messageId(one.ts),
      ...(root === undefined && thread !== undefined && { root: messageId(thread) }),
      author: author.slice(0, MAX_NAME_LENGTH).toWellFormed(),
      by: one.user === undefined ? undefined : userId(one.user),
      isBot: isBot(one),
      at: Math.round(Number(one.ts) * 1_000),
      text: words[index] ?? '',
      attachments: parseAttachments(one.files),
      link: permalinkOf(one.ts, thread),
      ...(one.reactions && { reactedBy: one.reactions.flatMap(({ users }) => users.map(userId)) }),
    };
  });
  const withText = all.filter(({ text }) => text !== '');
  return {
    messages: withText,
    incomplete,
    unreadThreads: unreadThreads,
    withoutText: all.length - withText.length,
  };
}

/** Requests one permalink and derives the others from it: they differ only in the timestamp. */
async function permalinkBuilder(
  { call }: Pick<HistoryDeps, 'call'>,
  channel: string,
  ts: string | undefined,
): Promise<(ts: string, thread: string | undefined) => string | undefined> {
  if (ts === undefined) return () => undefined;
  const response = await call('chat.getPermalink', { channel, message_ts: ts }).catch(() => undefined);
  const { success, output } = v.safeParse(permalinkResponse, response);
  const path = `/p${ts.replace('.', '')}`;
  if (!success || !output.permalink.includes(path)) return () => undefined;
  const [before] = output.permalink.split(path, 1);
  return (at, thread) => {
    const query = thread === undefined || thread === at ? '' : `?thread_ts=${thread}&cid=${channel}`;
    return `${before}/p${at.replace('.', '')}${query}`;
  };
}

const isRateLimited = (error: unknown): boolean => getRateLimitWaitMs(error) !== undefined;

/** Returns the wait of any rate limit in ms; undefined for other errors. */
function getRateLimitWaitMs(error: unknown): number | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof SlackRateLimitError ? cause.retryAfterMs : undefined;
}

const THREAD_NOT_FOUND: ReadonlySet<string> = new Set(['thread_not_found', 'message_not_found']);
/** For a private channel without the bot, Slack responds `channel_not_found`. */
const NOT_MEMBER: ReadonlySet<string> = new Set(['not_in_channel', 'channel_not_found']);

function toHistoryError(error: unknown): unknown {
  const retryAfterMs = getRateLimitWaitMs(error);
  if (retryAfterMs !== undefined)
    return new HistoryUnavailableError('slowed', { retryAfterMs, cause: error });
  if (!(error instanceof SlackApiError)) return error;
  if (THREAD_NOT_FOUND.has(error.code)) return new HistoryUnavailableError('no-thread', { cause: error });
  if (NOT_MEMBER.has(error.code)) return new HistoryUnavailableError('not-member', { cause: error });
  return isReadForbidden(error) ? new HistoryUnavailableError('no-permission', { cause: error }) : error;
}
