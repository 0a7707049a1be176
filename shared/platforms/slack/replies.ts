import * as v from 'valibot';
import type { TurnRef } from '../../conversation/index.ts';
import type { SlackDeps } from './deps.ts';
import { persist } from './patience.ts';

const PAGE = 200;
/** Slack gives a thread from its beginning on; a longer one is not read to its end. */
const PAGES = 5;

const page = v.object({
  messages: v.array(v.unknown()),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});

/**
 * What `pick` makes of the messages of a thread up to the turn's own, oldest first: the last `most`. Rejects when Slack
 * cannot be asked until `deadline`.
 */
export async function repliesBefore<T>(
  { call, time }: Pick<SlackDeps, 'call' | 'time'>,
  { thread: { channel, root }, message }: TurnRef,
  { pick, most, deadline }: Picking<T>,
): Promise<T[]> {
  let last: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES; pages += 1) {
    const next = cursor === undefined ? {} : { cursor };
    const args = { channel, ts: root, latest: message, inclusive: false, limit: PAGE, ...next };
    const asked = () => call('conversations.replies', args);
    const { messages, response_metadata: more } = v.parse(page, await persist(asked, { time, deadline }));
    last = [...last, ...messages.flatMap(pick)].slice(-most);
    cursor = more?.next_cursor;
    if (!cursor) break;
  }
  return last;
}

type Picking<T> = {
  readonly pick: (message: unknown) => T[];
  readonly most: number;
  readonly deadline: number;
};
