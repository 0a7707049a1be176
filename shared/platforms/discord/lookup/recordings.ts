import { messageId, splitRecordings, type Thread, type TurnRef, userId } from '../../../domain/index.ts';
import type { FoundMessage } from '../../ports/index.ts';
import { parseAttachments } from '../inbound/attachments.ts';
import { isForbidden, retryDiscord } from '../api/errors.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { readValue, readId, readString } from '../api/json-path.ts';
import { botMayWrite, isDirect } from '../inbound/conversation-key.ts';

const MAX_MESSAGES = 100;
/** With more names than these, a model cannot tell the recordings apart. */
const MAX_RECORDINGS = 20;
const TIMEOUT_MS = 15_000;

/** Whether the bot may read messages of others there that it does not receive as events. */
export const canContainRecordings = (thread: Thread): boolean => botMayWrite(thread) && !isDirect(thread);

/**
 * Finds the messages with recordings that a question can mean: the message that it replies to, else those of its thread with the first
 * message, or of its channel if it is in no thread. See the port. Without the intent Message Content, Discord omits the files of
 * messages of others.
 */
export async function findRecordings(
  { call, time }: Pick<DiscordDeps, 'call' | 'time'>,
  findChannel: FindAnswerChannel,
  turn: TurnRef,
): Promise<FoundMessage[]> {
  const { thread, message } = turn;
  const retryOptions = { time, deadline: time.now() + TIMEOUT_MS };
  const get = (path: string) => retryDiscord(() => call({ method: 'GET', path }), retryOptions);
  // A slash command has no message. The first message of a forum post is in its thread.
  const getMessage = (of: string, id: string) => get(`/channels/${of}/messages/${id}`).catch(() => undefined);
  // A thread that starts with the question is still empty.
  const channel = message === thread.root ? String(thread.channel) : await findChannel(turn);
  const isInThread = channel === String(thread.root);
  const toRecordingsHere = (recordings: unknown) =>
    toRecordings(
      recordings,
      isInThread ? thread : { ...thread, root: messageId(readId(recordings, 'id') ?? '') },
    );
  const repliedRecordings = toRecordingsHere(
    readValue(await getMessage(channel, message), 'referenced_message'),
  );
  if (repliedRecordings.length > 0) return repliedRecordings;
  const [earlierMessages, root] = await Promise.all([
    get(`/channels/${channel}/messages?before=${message}&limit=${MAX_MESSAGES}`).catch((error: unknown) => {
      // The bot lacks the permission Connect or no longer sees the channel, so it finds no recordings.
      if (isForbidden(error)) return [];
      throw error;
    }),
    isInThread ? getMessage(thread.channel, thread.root) : undefined,
  ]);
  const parentMessage = readValue(root, 'referenced_message');
  const recordings = [
    ...toRecordings(parentMessage, { ...thread, root: messageId(readId(parentMessage, 'id') ?? '') }),
    ...toRecordings(root, thread),
    ...(Array.isArray(earlierMessages) ? earlierMessages.flatMap(toRecordingsHere) : []),
  ];
  const unique = new Map(recordings.map((recorded) => [recorded.id, recorded]));
  return [...unique.values()].toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id))).slice(-MAX_RECORDINGS);
}

function toRecordings(recordings: unknown, thread: Thread): FoundMessage[] {
  const [id, author] = [readId(recordings, 'id'), readId(recordings, 'author', 'id')];
  const attachments = parseAttachments(recordings);
  if (id === undefined || author === undefined) return [];
  if (splitRecordings({ attachments }).recordings.length === 0) return [];
  const text = readString(recordings, 'content') ?? '';
  return [{ thread, id: messageId(id), author: userId(author), text, attachments }];
}
