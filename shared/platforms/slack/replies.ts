import * as v from 'valibot';
import type { TurnRef } from '../../conversation/index.ts';
import type { SlackDeps } from './deps.ts';
import { persist } from './patience.ts';

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

/**
 * What `pick` makes of the messages of a thread up to the turn's own, oldest first: the last `most`. Rejects when Slack
 * cannot be asked until `deadline`.
 */
export async function repliesBefore<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  picking: Picking<T>,
): Promise<T[]> {
  return (await fromBeginning(deps, turn, picking)).last;
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
): Promise<T[]> {
  const { pick, most, deadline } = picking;
  const read = await fromBeginning(deps, turn, picking);
  let found = read.last;
  if (read.until === undefined) return found;
  let after = read.until;
  let before = Number(turn.message);
  for (let looks = 0, ended = false; looks < LOOKS; looks += 1) {
    const middle = (after + before) / 2;
    const { messages, cursor } = await pageOf(deps, turn, { oldest: middle.toFixed(6) }, deadline);
    // Slack begins each answer with the root.
    const picked = messages.filter((one) => timeOf(one, 0) > middle).flatMap(pick);
    if (cursor) after = timeOf(messages.at(-1), middle);
    else before = middle;
    const end = !cursor && picked.length > 0;
    if (end || (cursor && !ended)) found = picked;
    ended ||= end;
    if (end && picked.length >= most) break;
  }
  return found.slice(-most);
}

/** The last of the first pages, and until when they go where there are more (s). */
async function fromBeginning<T>(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
  { pick, most, deadline }: Picking<T>,
): Promise<{ readonly last: T[]; readonly until: number | undefined }> {
  let last: T[] = [];
  let until = Number(turn.thread.root);
  let next: object = {};
  for (let pages = 0; pages < PAGES; pages += 1) {
    const { messages, cursor } = await pageOf(deps, turn, next, deadline);
    last = [...last, ...messages.flatMap(pick)].slice(-most);
    if (!cursor) return { last, until: undefined };
    until = timeOf(messages.at(-1), until);
    next = { cursor };
  }
  return { last, until };
}

/** When a message was posted (s). */
const timeOf = (message: unknown, otherwise: number): number => {
  const { success, output } = v.safeParse(dated, message);
  return success ? Number(output.ts) : otherwise;
};

async function pageOf(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  { thread: { channel, root }, message }: TurnRef,
  next: object,
  deadline: number,
): Promise<{ readonly messages: readonly unknown[]; readonly cursor: string | undefined }> {
  const args = { channel, ts: root, latest: message, inclusive: false, limit: PAGE, ...next };
  const asked = () => call('conversations.replies', args);
  const { messages, response_metadata: more } = v.parse(page, await persist(asked, { time, deadline }));
  return { messages, cursor: more?.next_cursor || undefined };
}

type Picking<T> = {
  readonly pick: (message: unknown) => T[];
  readonly most: number;
  readonly deadline: number;
};
