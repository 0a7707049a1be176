import { messageId, splitRecordings, type Thread, type TurnRef, userId } from '../../../domain/index.ts';
import type { FoundMessage } from '../../ports/platform.ts';
import { attachmentsOf } from '../inbound/attachments.ts';
import { isForbidden, retryDiscord } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { at, idAt, textAt } from '../inbound/json-path.ts';
import { botMayWrite, isDirect } from './conversation-key.ts';
import type { AnswerChannel } from '../api/answer-channel.ts';

const MESSAGES = 100;
/** A model that is told of more names than these has nothing to tell them apart by. */
const MAX = 20;
const TIMEOUT_MS = 15_000;

/** Whether others say something there that the bot may read and does not hear by itself. */
export const canContainRecordings = (thread: Thread): boolean => botMayWrite(thread) && !isDirect(thread);

/**
 * The messages with recordings that a question can mean: the one that it replies to; else those of its thread and what that hangs
 * on, or of its channel where it is in none. See the port. Without the intent Message Content, Discord keeps the files of people's
 * messages to itself.
 */
export async function findRecordings(
  { call, time }: Pick<DiscordDeps, 'call' | 'time'>,
  where: AnswerChannel,
  turn: TurnRef,
): Promise<FoundMessage[]> {
  const { thread, message } = turn;
  const patience = { time, deadline: time.now() + TIMEOUT_MS };
  const get = (path: string) => retryDiscord(() => call({ method: 'GET', path }), patience);
  // Of what was called there is no message; the first post of a forum stands in its thread.
  const one = (of: string, id: string) => get(`/channels/${of}/messages/${id}`).catch(() => undefined);
  // A thread that the question itself began has nothing in it yet.
  const channel = message === thread.root ? String(thread.channel) : await where(turn);
  const inside = channel === String(thread.root);
  const here = (found: unknown) =>
    recordedIn(found, inside ? thread : { ...thread, root: messageId(idAt(found, 'id') ?? '') });
  const replied = here(at(await one(channel, message), 'referenced_message'));
  if (replied.length > 0) return replied;
  const [said, root] = await Promise.all([
    get(`/channels/${channel}/messages?before=${message}&limit=${MESSAGES}`).catch((error: unknown) => {
      // The bot lacks Connect, or may not see the place any more: it can mean none of what is there.
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
