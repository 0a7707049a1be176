import * as v from 'valibot';
import { messageId, splitRecordings, type TurnRef, userId } from '../../../domain/index.ts';
import { type FoundMessage, HistoryUnavailableError } from '../../ports/index.ts';
import { parseAttachments } from '../inbound/attachments.ts';
import type { SlackDeps } from '../deps.ts';
import { throwIfRateLimited } from './history-limit.ts';
import { id, optionalId } from '../api/payload-fields.ts';
import { readRepliesBefore } from './thread-pages.ts';

/** With more names than these, a model cannot tell the recordings apart. */
const MAX_RECORDINGS = 20;
const TIMEOUT_MS = 15_000;

const messageWithFiles = v.object({
  ts: v.string(),
  user: v.nullish(id),
  bot_id: optionalId,
  text: v.nullish(v.string()),
  files: v.array(v.unknown()),
});

/** Finds the messages with recordings in the turn's thread: see `ThreadReader.findRecordings`. */
export async function findRecordings(
  deps: Pick<SlackDeps, 'call' | 'time'>,
  turn: TurnRef,
): Promise<readonly FoundMessage[]> {
  const pick = (value: unknown): FoundMessage[] => {
    const { success, output: data } = v.safeParse(messageWithFiles, value);
    if (!success || data.ts >= turn.message) return [];
    const attachments = parseAttachments(data.files);
    if (splitRecordings({ attachments }).recordings.length === 0) return [];
    const author = userId(data.user ?? data.bot_id ?? 'unknown');
    return [{ thread: turn.thread, id: messageId(data.ts), author, text: data.text ?? '', attachments }];
  };
  const options = { pick, maxItems: MAX_RECORDINGS, deadline: deps.time.now() + TIMEOUT_MS };
  const { items: picked, retryAfterMs } = await readRepliesBefore(deps, turn, options).catch(
    throwIfRateLimited,
  );
  if (picked.length === 0 && retryAfterMs !== undefined)
    throw new HistoryUnavailableError('slowed', { retryAfterMs });
  return picked;
}
