import * as v from 'valibot';
import type { TurnRef } from '../../../domain/index.ts';
import type { SlackDeps } from '../deps.ts';
import { TtlCache } from '../../../utils/index.ts';
import type { SlackCall } from '../api/call.ts';
import { getLongRateLimitWaitMs } from './history-limit.ts';
import { retrySlack } from '../api/retry.ts';

const PAGE_SIZE = 200;
/** Slack returns a thread from its start. Of a longer thread, only these pages are read from there. */
const MAX_PAGES = 5;
/** The binary search for the end of a thread needs fewer requests, unless nearly all messages have the same time. */
const MAX_SEARCH_REQUESTS = 8;

const pageResponse = v.object({
  messages: v.array(v.unknown()),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});

const timestamped = v.object({ ts: v.string() });

const CACHE_TTL_MS = 120_000;
const MAX_CACHED_PAGES = 20;
const argumentsSchema = v.record(v.string(), v.unknown());

/**
 * Caches pages of threads for two minutes. The messages before a question and the recordings in its thread are on the same pages, and apps
 * outside of the Marketplace may request one page a minute.
 */
export function cacheReplies({ call, time }: Pick<SlackDeps, 'call' | 'time'>): SlackCall {
  const request = (key: string) => call('conversations.replies', v.parse(argumentsSchema, JSON.parse(key)));
  const pages = new TtlCache<Awaited<ReturnType<SlackCall>>>({
    now: time.now,
    ttlMs: CACHE_TTL_MS,
    maxEntries: MAX_CACHED_PAGES,
  });
  return (method, args) =>
    method === 'conversations.replies' ? pages.get(JSON.stringify(args), request) : call(method, args);
}

export type ThreadItems<T> = {
  readonly items: readonly T[];
  /** After this time in ms, the rate limit permits to read the rest. */
  readonly retryAfterMs?: number | undefined;
};

/**
 * Reads a thread from its start up to the turn's message, and applies `pick` to each message: the last `maxItems` results, oldest first.
 * Ends early at a rate limit. Rejects if Slack does not respond before `deadline`.
 */
export async function readRepliesBefore<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  options: PickOptions<T>,
): Promise<ThreadItems<T>> {
  return readFromStart(deps, turn, options);
}

/**
 * Like `readRepliesBefore`, but of a thread that is longer than `MAX_PAGES` it returns the last messages: a binary search by time finds where
 * they start. If nearly all messages have the same time, the result may have fewer than `maxItems`, or earlier messages.
 */
export async function readLastRepliesBefore<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  options: PickOptions<T>,
): Promise<ThreadItems<T>> {
  const { pick, maxItems, deadline } = options;
  const start = await readFromStart(deps, turn, options);
  let items = start.items;
  if (start.until === undefined || start.retryAfterMs !== undefined) return start;
  let after = start.until;
  let before = Number(turn.message);
  for (let requests = 0, hasReachedEnd = false; requests < MAX_SEARCH_REQUESTS; requests += 1) {
    const middle = (after + before) / 2;
    const page = await readPageUnlessLimited(deps, turn, { oldest: middle.toFixed(6) }, deadline);
    if (typeof page === 'number') return { items: items.slice(-maxItems), retryAfterMs: page };
    const { cursor } = page;
    // Without the root.
    const messages = page.messages.filter((one) => readSeconds(one, 0) > middle);
    const picked = messages.flatMap(pick);
    if (cursor) after = readSeconds(messages.at(-1), middle);
    else before = middle;
    const isEnd = !cursor && picked.length > 0;
    if (isEnd || (cursor && !hasReachedEnd)) items = picked;
    hasReachedEnd ||= isEnd;
    if (isEnd && picked.length >= maxItems) break;
  }
  return { items: items.slice(-maxItems) };
}

/** The results of the first pages, and the time of their last message in seconds if there are more pages. */
async function readFromStart<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  { pick, maxItems, deadline }: PickOptions<T>,
): Promise<ThreadItems<T> & { readonly until?: number | undefined }> {
  let picked: readonly T[] = [];
  let lastReadSeconds = Number(turn.thread.root);
  let cursorArgument: object = {};
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const request = pages === 0 ? readPage : readPageUnlessLimited;
    const page = await request(deps, turn, cursorArgument, deadline);
    if (typeof page === 'number') return { items: picked, retryAfterMs: page };
    const { cursor } = page;
    // Each page begins with the root. Source: the reader of threads in rusq/slackdump (`thread.go`).
    const messages = page.messages.filter((one) => pages === 0 || readSeconds(one, 0) > lastReadSeconds);
    picked = [...picked, ...messages.flatMap(pick)].slice(-maxItems);
    if (!cursor) return { items: picked };
    lastReadSeconds = readSeconds(messages.at(-1), lastReadSeconds);
    cursorArgument = { cursor };
  }
  return { items: picked, until: lastReadSeconds };
}

/** When a message was posted, in seconds. */
const readSeconds = (message: unknown, fallback: number): number => {
  const { success, output } = v.safeParse(timestamped, message);
  return success ? Number(output.ts) : fallback;
};

type Page = { readonly messages: readonly unknown[]; readonly cursor: string | undefined };

/** Reads a page, or returns the wait of a rate limit in ms. */
async function readPageUnlessLimited(...of: Parameters<typeof readPage>): Promise<Page | number> {
  try {
    return await readPage(...of);
  } catch (error) {
    const retryAfterMs = getLongRateLimitWaitMs(error);
    if (retryAfterMs === undefined) throw error;
    return retryAfterMs;
  }
}

/** The first page of the thread, up to the turn's message. Rejects as SlackCall and `retrySlack` do. */
export const readFirstPage = (
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  deadline: number,
): Promise<Page> => readPage(deps, turn, {}, deadline);

async function readPage(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  { thread: { channel, root }, message }: TurnRef,
  cursorArgument: object,
  deadline: number,
): Promise<Page> {
  // With the message itself, whose files may be looked for: whoever reads what was said before leaves it out.
  const args = { channel, ts: root, latest: message, inclusive: true, limit: PAGE_SIZE, ...cursorArgument };
  const request = () => call('conversations.replies', args);
  const { messages, response_metadata: more } = v.parse(
    pageResponse,
    await retrySlack(request, { time, deadline }),
  );
  return { messages, cursor: more?.next_cursor || undefined };
}

type PickOptions<T> = {
  readonly pick: (message: unknown) => T[];
  readonly maxItems: number;
  readonly deadline: number;
};
