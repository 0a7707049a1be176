import { messageId, splitRecordings, type Thread, type TurnRef, userId } from '../../../domain/index.ts';
import type { FoundMessage } from '../../ports/index.ts';
import { attachmentsOf } from '../inbound/attachments.ts';
import { isForbidden, retryDiscord } from '../api/errors.ts';
import type { DiscordDeps, AnswerChannel } from '../deps.ts';
import { at, idAt, textAt } from '../api/json-path.ts';
import { botMayWrite, isDirect } from '../inbound/conversation-key.ts';

const MESSAGES = 100;
/** With more names than these, a model cannot tell the recordings apart. */
const MAX = 20;
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
  where: AnswerChannel,
  turn: TurnRef,
): Promise<FoundMessage[]> {
  const { thread, message } = turn;
  const patience = { time, deadline: time.now() + TIMEOUT_MS };
  const get = (path: string) => retryDiscord(() => call({ method: 'GET', path }), patience);
  // A slash command has no message. The first message of a forum post is in its thread.
  const one = (of: string, id: string) => get(`/channels/${of}/messages/${id}`).catch(() => undefined);
  // A thread that starts with the question is still empty.
  const channel = message === thread.root ? String(thread.channel) : await where(turn);
  const inside = channel === String(thread.root);
  const here = (found: unknown) =>
    recordedIn(found, inside ? thread : { ...thread, root: messageId(idAt(found, 'id') ?? '') });
  const replied = here(at(await one(channel, message), 'referenced_message'));
  if (replied.length > 0) return replied;
  const [said, root] = await Promise.all([
    get(`/channels/${channel}/messages?before=${message}&limit=${MESSAGES}`).catch((error: unknown) => {
      // The bot lacks the permission Connect or no longer sees the channel, so it finds no recordings.
      if (isForbidden(error)) return [];
      throw error;
    }),
    inside ? one(thread.channel, thread.root) : undefined,
  ]);
  const around = at(root, 'referenced_message');
  const found = [
    ...recordedIn(around, { ...thread, root: messageId(idAt(around, 'id') ?? '') }),
    ...recordedIn(root, thread),
    ...(Array.isArray(said) ? said.flatMap(here) : []),
  ];
  const once = new Map(found.map((recorded) => [recorded.id, recorded]));
  return [...once.values()].toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id))).slice(-MAX);
}

function recordedIn(found: unknown, thread: Thread): FoundMessage[] {
  const [id, author] = [idAt(found, 'id'), idAt(found, 'author', 'id')];
  const attachments = attachmentsOf(found);
  if (id === undefined || author === undefined) return [];
  if (splitRecordings({ attachments }).recordings.length === 0) return [];
  const text = textAt(found, 'content') ?? '';
  return [{ thread, id: messageId(id), author: userId(author), text, attachments }];
}
