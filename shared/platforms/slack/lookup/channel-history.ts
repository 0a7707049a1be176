import * as v from 'valibot';
import { messageId, userId } from '../../../domain/index.ts';
import {
  type History,
  type HistoryMessage,
  type HistoryPlace,
  type HistoryRange,
  HistoryUnavailable,
} from '../../ports/platform.ts';
import { SlackRateLimited, SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import type { WhoAmI } from './bot-identity.ts';
import { mayNotRead } from './may-not-read.ts';
import type { NameOf } from './display-name.ts';
import { retrySlack } from '../api/retry.ts';
import { isSpoken, type SpokenMessage, spokenWords } from '../inbound/spoken-messages.ts';

/** Slack recommends no more; see docs.slack.dev/reference/methods/conversations.history. */
const PAGE = 200;
const TIMEOUT_MS = 30_000;
const MAX_NAME_LENGTH = 80;

const page = v.object({
  messages: v.array(v.unknown()),
  has_more: v.optional(v.boolean()),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});
const linked = v.object({ permalink: v.string() });

export type HistoryDeps = Pick<SlackDeps, 'call' | 'log' | 'time'> & {
  readonly whoAmI: WhoAmI;
  readonly nameOf: NameOf;
};

type Method = 'conversations.history' | 'conversations.replies';
type Pages = { readonly messages: SpokenMessage[]; readonly incomplete: History['incomplete'] };

/** Reads a channel, with its last threads, or a thread: see `Platform.history`. */
export async function readHistory(
  deps: HistoryDeps,
  place: HistoryPlace,
  range: HistoryRange,
): Promise<History> {
  const { channel, root } = place;
  const oldest = range.since === undefined ? {} : { oldest: (range.since / 1_000).toFixed(6) };
  try {
    if (root !== undefined) {
      const read = await pagesOf(deps, 'conversations.replies', { channel, ts: root, ...oldest }, range.most);
      return await told(read, 0, deps, place);
    }
    const read = await pagesOf(deps, 'conversations.history', { channel, ...oldest }, range.most);
    const { replies, left } = await repliesIn(deps, place, read, range);
    const messages = [...read.messages, ...replies].toSorted((a, b) => Number(a.ts) - Number(b.ts));
    return await told({ ...read, messages }, left, deps, place);
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * What people said on the pages of a method, in Slack's order, until there are `most`, or Slack wants the app to wait for long.
 * It does so after each page where the app is distributed outside of the Marketplace: one request a minute for each method,
 * 15 messages each. See docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
async function pagesOf(deps: HistoryDeps, method: Method, of: object, most: number): Promise<Pages> {
  const messages: SpokenMessage[] = [];
  const patience = { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS };
  let next: object = {};
  for (let first = true; ; first = false) {
    const args = { ...of, limit: PAGE, ...next };
    const asked = () => deps.call(method, args);
    let answer: unknown;
    try {
      answer = await retrySlack(asked, patience);
    } catch (error) {
      if (first || !isBusy(error)) throw error;
      return { messages, incomplete: 'slowed' };
    }
    const { messages: found, has_more: more, response_metadata: meta } = v.parse(page, answer);
    messages.push(...found.flatMap((one) => isSpoken(one) ?? []));
    const cursor = meta?.next_cursor;
    if (!more || !cursor) return { messages: messages.slice(0, most), incomplete: undefined };
    if (messages.length >= most)
      return {
        messages: messages.slice(0, most),
        incomplete: method === 'conversations.history' ? 'older' : 'later',
      };
    next = { cursor };
  }
}

/** The moment of the last reply to a message, in seconds; 0 for none. */
const lastReplyIn = (one: SpokenMessage): number => Number(one.latest_reply ?? 0);

/** The replies in those threads of a channel in which something was said last. */
async function repliesIn(
  deps: HistoryDeps,
  { channel }: HistoryPlace,
  { messages, incomplete }: Pages,
  { since = 0, threads = 0, most }: HistoryRange,
): Promise<{ readonly replies: readonly SpokenMessage[]; readonly left: number }> {
  const all = messages
    .filter((one) => (one.reply_count ?? 0) > 0 && lastReplyIn(one) * 1_000 >= since)
    .toSorted((a, b) => lastReplyIn(b) - lastReplyIn(a));
  const replies: SpokenMessage[] = [];
  let read = 0;
  for (const { ts } of incomplete === 'slowed' ? [] : all.slice(0, threads)) {
    if (messages.length + replies.length >= most) break;
    const of = { channel, ts, oldest: (Math.max(since, 1) / 1_000).toFixed(6) };
    const found = await pagesOf(deps, 'conversations.replies', of, most).catch((error: unknown) => {
      if (!isBusy(error)) throw error;
      return undefined;
    });
    if (!found) break;
    // Slack begins each answer with the root.
    replies.push(...found.messages.filter((one) => one.ts !== ts && !one.isBroadcast));
    read += 1;
    if (found.incomplete === 'slowed') break;
  }
  return { replies, left: all.length - read };
}

async function told(
  { messages, incomplete }: Pages,
  threadsLeft: number,
  deps: HistoryDeps,
  { channel, root }: HistoryPlace,
): Promise<History> {
  const { user: self } = await deps.whoAmI();
  const linkOf = await linker(deps, channel, messages.at(-1)?.ts);
  const names = new Map<string, string>();
  for (const { user } of messages) {
    if (user !== undefined && !names.has(user)) names.set(user, await deps.nameOf(user));
  }
  const all = messages
    .toSorted((a, b) => Number(a.ts) - Number(b.ts))
    .map((one): HistoryMessage => {
      const thread = root ?? (one.thread_ts === one.ts ? undefined : one.thread_ts);
      const author = one.botName ?? names.get(one.user ?? '') ?? 'someone';
      return {
        id: messageId(one.ts),
        ...(root === undefined && thread !== undefined && { root: messageId(thread) }),
        author: author.slice(0, MAX_NAME_LENGTH).toWellFormed(),
        by: one.user === undefined ? undefined : userId(one.user),
        isBot: one.bot_id !== undefined,
        at: Math.round(Number(one.ts) * 1_000),
        text: spokenWords(one, self),
        link: linkOf(one.ts, thread),
      };
    });
  const said = all.filter(({ text }) => text !== '');
  return { messages: said, incomplete, threadsLeft, wordless: all.length - said.length };
}

/** Slack tells the address of one message; those of the others differ by the moment alone. */
async function linker(
  { call }: Pick<HistoryDeps, 'call'>,
  channel: string,
  ts: string | undefined,
): Promise<(ts: string, thread: string | undefined) => string | undefined> {
  if (ts === undefined) return () => undefined;
  const answer = await call('chat.getPermalink', { channel, message_ts: ts }).catch(() => undefined);
  const { success, output } = v.safeParse(linked, answer);
  const mark = `/p${ts.replace('.', '')}`;
  if (!success || !output.permalink.includes(mark)) return () => undefined;
  const [before] = output.permalink.split(mark, 1);
  return (at, thread) => {
    const query = thread === undefined || thread === at ? '' : `?thread_ts=${thread}&cid=${channel}`;
    return `${before}/p${at.replace('.', '')}${query}`;
  };
}

const isBusy = (error: unknown): boolean => busyFor(error) !== undefined;

/** For how long Slack wants no more such requests (ms); undefined where something else went wrong. */
function busyFor(error: unknown): number | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof SlackRateLimited ? cause.retryAfterMs : undefined;
}

const NOT_THERE: ReadonlySet<string> = new Set(['thread_not_found', 'message_not_found']);
/** Of private channels Slack does not say that they are there. */
const NOT_MEMBER: ReadonlySet<string> = new Set(['not_in_channel', 'channel_not_found']);

function refusalOf(error: unknown): unknown {
  const retryAfterMs = busyFor(error);
  if (retryAfterMs !== undefined) return new HistoryUnavailable('slowed', { retryAfterMs, cause: error });
  if (!(error instanceof SlackApiError)) return error;
  if (NOT_THERE.has(error.code)) return new HistoryUnavailable('no-thread', { cause: error });
  if (NOT_MEMBER.has(error.code)) return new HistoryUnavailable('not-member', { cause: error });
  return mayNotRead(error) ? new HistoryUnavailable('no-permission', { cause: error }) : error;
}
