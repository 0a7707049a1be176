import type { RESTPostAPIChannelMessagesThreadsJSONBody } from 'discord-api-types/v10';
import type { Thread, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/platform.ts';
import { DiscordApiError } from './call.ts';
import { refusalKind } from './errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { ANNOUNCEMENT_THREAD, ARCHIVE_AFTER_ONE_DAY, PRIVATE_THREAD, PUBLIC_THREAD } from './enums.ts';
import { ERROR_CODES } from './error-codes.ts';
import { at, idAt, listAt, textAt } from '../inbound/json-path.ts';
import { lacks, missingAmong, type PermissionFinder } from '../lookup/permissions.ts';
import { isDirect, isSeen } from '../lookup/conversation-key.ts';

/** The channel in which a turn is answered: as a rule a thread, which is opened if there is none yet. */
export type AnswerChannel = (turn: TurnRef) => Promise<string>;

const MAX_ENTRIES = 1_000;
const MAX_NAME_LENGTH = 90;
const THREADS: ReadonlySet<unknown> = new Set([ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD]);

export type AnswerChannelDeps = Pick<DiscordDeps, 'call' | 'log'> & {
  /** What the bot may do in the channel; nothing is known of it where this is absent. */
  readonly permissions?: PermissionFinder;
  /** The words of a question that Discord does not let the bot read, to name its thread by. */
  readonly questionOf?: (thread: Thread) => string | undefined;
};

/**
 * Finds the channel of a conversation, once. A conversation that hangs on a message is a thread with that message's id; where
 * none may be opened, or the bot could not write in it, the answer is a reply in the channel itself. That the message may not
 * be read says nothing of whether it is there. Rejects with ThreadDeletedError when the message is gone, and as DiscordCall does.
 */
export function answerChannelFinder({
  call,
  log,
  permissions,
  questionOf,
}: AnswerChannelDeps): AnswerChannel {
  const known = new Map<string, Promise<string>>();
  return (turn) => {
    const { thread } = turn;
    if (isDirect(thread) || !isSeen(thread)) return Promise.resolve(thread.channel);
    const before = known.get(thread.root);
    if (before) return before;
    const found = find(turn);
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(thread.root, found);
    found.catch(() => known.delete(thread.root));
    return found;
  };

  async function find({ thread, message }: TurnRef): Promise<string> {
    const { channel, root } = thread;
    // Discord says no more of a thread that is out of sight than that it is there.
    const lookUp = async (): Promise<boolean> => isThread(await look(call, `/channels/${root}`));
    if (message !== root && (await lookUp())) return root;
    const [question, allowed] = await Promise.all([
      look(call, `/channels/${channel}/messages/${root}`),
      permissions?.(thread),
    ]);
    if (question.kind !== 'found') {
      // The first post of a forum stands in its thread, not in the forum.
      if (await lookUp()) return root;
      if (question.kind === 'not-found')
        throw new ThreadDeletedError('the message that the thread hung on is gone');
    } else if (at(question.content, 'thread') !== undefined) return root;
    const closed = allowed && !allowed.threaded && allowed.granted !== 0n;
    if (closed || lacks(allowed, 'CreatePublicThreads') || lacks(allowed, 'SendMessagesInThreads')) {
      log?.('discord.no_thread', {
        channel,
        missing: missingAmong(allowed, TO_ANSWER_IN_A_THREAD).join(', '),
      });
      return channel;
    }
    return open(thread, question.kind === 'found' ? question.content : { content: questionOf?.(thread) });
  }

  async function open(thread: Thread, question: unknown): Promise<string> {
    const { channel, root: id } = thread;
    const body = {
      name: nameOf(question),
      auto_archive_duration: ARCHIVE_AFTER_ONE_DAY,
    } satisfies RESTPostAPIChannelMessagesThreadsJSONBody;
    try {
      const made = await call({ method: 'POST', path: `/channels/${channel}/messages/${id}/threads`, body });
      return idAt(made, 'id') ?? id;
    } catch (error) {
      if (!(error instanceof DiscordApiError)) throw error;
      if (error.code === ERROR_CODES.ThreadAlreadyCreatedForMessage) return id;
      if (refusalKind(error) === 'message-not-found')
        throw new ThreadDeletedError('the message is gone', { cause: error });
      log?.('discord.no_thread', { channel, reason: error.message });
      return channel;
    }
  }
}

const TO_ANSWER_IN_A_THREAD = ['CreatePublicThreads', 'SendMessagesInThreads'] as const;

const isThread = (found: Looked): boolean =>
  found.kind === 'found' ? THREADS.has(at(found.content, 'type')) : found.kind === 'forbidden';

/** What came of looking for something: what may not be read may well be there. */
type Looked =
  | { readonly kind: 'found'; readonly content: unknown }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'forbidden' };

/** Of what a server has no way to ask for (404 without a code of Discord's), nothing is known. Rejects as DiscordCall does. */
async function look(call: DiscordDeps['call'], path: string): Promise<Looked> {
  try {
    return { kind: 'found', content: await call({ method: 'GET', path }) };
  } catch (error) {
    if (!(error instanceof DiscordApiError)) throw error;
    if (refusalKind(error) === 'forbidden') return { kind: 'forbidden' };
    if (error.code !== 0) return { kind: 'not-found' };
    if (error.status === 404) return { kind: 'found', content: {} };
    throw error;
  }
}

/** Marks around words; a star between blanks multiplies, a line within a word joins. */
const MARKS = /(?<!\S)[*_`~|]+(?=\S)|(?<=\S)[*_`~|]+(?![^\s\p{P}])/gu;

/** An address behind words. */
const LINK = /\[([^\]]{1,200})\]\([^)\s]{1,500}\)/gu;

/** A thread is named by its question. */
function nameOf(message: unknown): string {
  const words = (textAt(message, 'content') ?? '')
    .replace(/<[@#:a][^>]{1,60}>/g, ' ')
    .replace(LINK, '$1')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(MARKS, '')
    .trim();
  const name = words.length > MAX_NAME_LENGTH ? `${words.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : words;
  // A voice message has no words.
  return name || textAt(listAt(message, 'attachments')[0], 'filename') || '…';
}
