import * as v from 'valibot';
import { messageId, partRecordings, type TurnRef, userId } from '../../conversation/index.ts';
import { type FoundMessage, HistoryRefused } from '../platform.ts';
import { attachmentsOf } from './attachments.ts';
import type { SlackDeps } from './deps.ts';
import { throwIfRateLimited } from './history-limit.ts';
import { id, maybeId } from './installation.ts';
import { repliesBefore } from './replies.ts';

/** A model that is told of more names than these has nothing to tell them apart by. */
const MOST = 20;
const WITHIN_MS = 15_000;

const message = v.object({
  ts: v.string(),
  user: v.nullish(id),
  bot_id: maybeId,
  text: v.nullish(v.string()),
  files: v.array(v.unknown()),
});

/** The messages of the turn's thread that hold recordings: see the port. */
export async function findRecorded(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
): Promise<readonly FoundMessage[]> {
  const pick = (found: unknown): FoundMessage[] => {
    const { success, output: data } = v.safeParse(message, found);
    if (!success || data.ts >= turn.message) return [];
    const attachments = attachmentsOf(data.files);
    if (partRecordings({ attachments }).recordings.length === 0) return [];
    const author = userId(data.user ?? data.bot_id ?? 'unknown');
    return [{ thread: turn.thread, id: messageId(data.ts), author, text: data.text ?? '', attachments }];
  };
  const picking = { pick, most: MOST, deadline: deps.time.now() + WITHIN_MS };
  const { picked, retryAfterMs } = await repliesBefore(deps, turn, picking).catch(throwIfRateLimited);
  if (picked.length === 0 && retryAfterMs !== undefined) throw new HistoryRefused('slowed', { retryAfterMs });
  return picked;
}
