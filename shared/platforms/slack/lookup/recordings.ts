import * as v from 'valibot';
import { messageId, splitRecordings, type TurnRef, userId } from '../../../domain/index.ts';
import { type FoundMessage, HistoryUnavailable } from '../../ports/platform.ts';
import { attachmentsOf } from '../inbound/attachments.ts';
import type { SlackDeps } from '../deps.ts';
import { throwIfRateLimited } from './history-limit.ts';
import { id, maybeId } from '../oauth/installation.ts';
import { repliesBefore } from './thread-pages.ts';

/** A model that is told of more names than these has nothing to tell them apart by. */
const MAX = 20;
const TIMEOUT_MS = 15_000;

const message = v.object({
  ts: v.string(),
  user: v.nullish(id),
  bot_id: maybeId,
  text: v.nullish(v.string()),
  files: v.array(v.unknown()),
});

/** The messages of the turn's thread that hold recordings: see the port. */
export async function findRecordings(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
): Promise<readonly FoundMessage[]> {
  const pick = (found: unknown): FoundMessage[] => {
    const { success, output: data } = v.safeParse(message, found);
    if (!success || data.ts >= turn.message) return [];
    const attachments = attachmentsOf(data.files);
    if (splitRecordings({ attachments }).recordings.length === 0) return [];
    const author = userId(data.user ?? data.bot_id ?? 'unknown');
    return [{ thread: turn.thread, id: messageId(data.ts), author, text: data.text ?? '', attachments }];
  };
  const picking = { pick, most: MAX, deadline: deps.time.now() + TIMEOUT_MS };
  const { picked, retryAfterMs } = await repliesBefore(deps, turn, picking).catch(throwIfRateLimited);
  if (picked.length === 0 && retryAfterMs !== undefined)
    throw new HistoryUnavailable('slowed', { retryAfterMs });
  return picked;
}
