import * as v from 'valibot';
import type { TurnRef } from '../../../domain/index.ts';
import type { SlackDeps } from '../deps.ts';
import { TtlCache } from '../../../utils/ttl-cache.ts';
import type { SlackCall } from '../api/call.ts';
import { rateLimitOf } from './history-limit.ts';
import { retrySlack } from '../api/retry.ts';

const PAGE = 200;
/** Slack gives a thread from its beginning on; of a longer one not all is read. */
const PAGES = 5;
/** A search for its end comes to it in fewer looks, unless nearly all was said at once. */
const LOOKS = 8;

const page = v.object({
  messages: v.array(v.unknown()),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});

const dated = v.object({ ts: v.string() });

const PAGE_TTL_MS = 120_000;
const MAX_REMEMBERED_PAGES = 20;
const argsIn = v.record(v.string(), v.unknown());

/**
 * Calls that ask for a page of a thread once for two minutes. What was said before a question and the recordings in its thread are on the
 * same pages, and apps outside of the Marketplace may ask for one a minute.
 */
export function rememberReplies({ call, time }: Pick<SlackDeps, 'call' | 'time'>): SlackCall {
  const ask = (key: string) => call('conversations.replies', v.parse(argsIn, JSON.parse(key)));
  const pages = new TtlCache<Awaited<ReturnType<SlackCall>>>({
    now: time.now,
    ttlMs: PAGE_TTL_MS,
    maxEntries: MAX_REMEMBERED_PAGES,
  });
  return (method, args) =>
    method === 'conversations.replies' ? pages.get(JSON.stringify(args), ask) : call(method, args);
}

export type Picked<T> = {
  readonly picked: readonly T[];
  /** Slack lets the app read the rest after so many ms. */
  readonly retryAfterMs?: number | undefined;
};

/**
 * What `pick` makes of the messages of a thread up to the turn's own, oldest first: the last `most` of those that Slack lets the app
 * read. Rejects when Slack cannot be asked until `deadline`.
 */
export async function repliesBefore<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  picking: Picking<T>,
): Promise<Picked<T>> {
  return fromBeginning(deps, turn, picking);
}

/**
 * The same, but of a thread that is too long to be read to its end, its end: where its last messages begin is looked for
 * between what was read and the turn's own. Where nearly all was said at once that may come to fewer than `most`, or to
 * earlier ones.
 */
export async function lastRepliesBefore<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  picking: Picking<T>,
): Promise<Picked<T>> {
  const { pick, most, deadline } = picking;
  const read = await fromBeginning(deps, turn, picking);
  let found = read.picked;
  if (read.until === undefined || read.retryAfterMs !== undefined) return read;
  let after = read.until;
  let before = Number(turn.message);
  for (let looks = 0, ended = false; looks < LOOKS; looks += 1) {
    const middle = (after + before) / 2;
    const answer = await pageUnlessLimited(deps, turn, { oldest: middle.toFixed(6) }, deadline);
    if (typeof answer === 'number') return { picked: found.slice(-most), retryAfterMs: answer };
    const { messages, cursor } = answer;
    // Slack begins each answer with the root.
    const picked = messages.filter((one) => timeOf(one, 0) > middle).flatMap(pick);
    if (cursor) after = timeOf(messages.at(-1), middle);
    else before = middle;
    const end = !cursor && picked.length > 0;
    if (end || (cursor && !ended)) found = picked;
    ended ||= end;
    if (end && picked.length >= most) break;
  }
  return { picked: found.slice(-most) };
}

/** The last of the first pages, and until when they go where there are more (s). */
async function fromBeginning<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  { pick, most, deadline }: Picking<T>,
): Promise<Picked<T> & { readonly until?: number | undefined }> {
  let picked: readonly T[] = [];
  let until = Number(turn.thread.root);
  let next: object = {};
  for (let pages = 0; pages < PAGES; pages += 1) {
    const ask = pages === 0 ? pageOf : pageUnlessLimited;
    const answer = await ask(deps, turn, next, deadline);
    if (typeof answer === 'number') return { picked, retryAfterMs: answer };
    const { messages, cursor } = answer;
    picked = [...picked, ...messages.flatMap(pick)].slice(-most);
    if (!cursor) return { picked };
    until = timeOf(messages.at(-1), until);
    next = { cursor };
  }
  return { picked, until };
}

/** When a message was posted (s). */
const timeOf = (message: unknown, otherwise: number): number => {
  const { success, output } = v.safeParse(dated, message);
  return success ? Number(output.ts) : otherwise;
};

type Page = { readonly messages: readonly unknown[]; readonly cursor: string | undefined };

/** A page, or after how long Slack lets the app read one (ms). */
async function pageUnlessLimited(...of: Parameters<typeof pageOf>): Promise<Page | number> {
  try {
    return await pageOf(...of);
  } catch (error) {
    const retryAfterMs = rateLimitOf(error);
    if (retryAfterMs === undefined) throw error;
    return retryAfterMs;
  }
}

async function pageOf(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  { thread: { channel, root }, message }: TurnRef,
  next: object,
  deadline: number,
): Promise<Page> {
  const args = { channel, ts: root, latest: message, inclusive: false, limit: PAGE, ...next };
  const asked = () => call('conversations.replies', args);
  const { messages, response_metadata: more } = v.parse(page, await retrySlack(asked, { time, deadline }));
  return { messages, cursor: more?.next_cursor || undefined };
}

type Picking<T> = {
  readonly pick: (message: unknown) => T[];
  readonly most: number;
  readonly deadline: number;
};
