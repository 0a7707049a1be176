import type { Thread, TurnRef } from '../../conversation/index.ts';
import { ThreadGone } from '../platform.ts';
import { DiscordRefused, CODES } from './call.ts';
import { hasCode } from './call-failure.ts';
import type { DiscordDeps } from './deps.ts';
import { at, idAt, listAt, textAt } from './json.ts';
import { isDirect, isSeen } from './places.ts';

/** The channel in which a turn is answered: as a rule a thread, which is opened if there is none yet. */
export type Where = (turn: TurnRef) => Promise<string>;

const KEPT = 1_000;
const LONGEST_NAME = 90;
/** A thread that nobody writes in is put away after a day. */
const ARCHIVE_MINUTES = 1_440;
const THREADS: ReadonlySet<unknown> = new Set([10, 11, 12]);

/**
 * Finds the channel of a conversation, once. A conversation that hangs on a message is a thread with that message's id; where
 * none may be opened the answer is a reply in the channel itself. Rejects with ThreadGone when the message is gone, and as
 * DiscordCall does.
 */
export function whereFinder({ call, log }: Pick<DiscordDeps, 'call' | 'log'>): Where {
  const known = new Map<string, Promise<string>>();
  return (turn) => {
    const { thread } = turn;
    if (isDirect(thread) || !isSeen(thread)) return Promise.resolve(thread.channel);
    const before = known.get(thread.root);
    if (before) return before;
    const found = find(turn);
    if (known.size >= KEPT) known.clear();
    known.set(thread.root, found);
    found.catch(() => known.delete(thread.root));
    return found;
  };

  async function find({ thread, message }: TurnRef): Promise<string> {
    if (message !== thread.root && (await isThread(thread))) return thread.root;
    const root = await rootOf(thread);
    if (root === undefined) {
      // The first post of a forum stands in its thread, not in the forum.
      if (await isThread(thread)) return thread.root;
      throw new ThreadGone('the message that the thread hung on is gone');
    }
    return at(root, 'thread') === undefined ? open(thread, root) : thread.root;
  }

  async function isThread({ root }: Thread): Promise<boolean> {
    const channel = await quietly(() => call({ method: 'GET', path: `/channels/${root}` }));
    return THREADS.has(at(channel, 'type'));
  }

  async function rootOf({ channel, root }: Thread): Promise<unknown> {
    return quietly(() => call({ method: 'GET', path: `/channels/${channel}/messages/${root}` }));
  }

  async function open(thread: Thread, root: unknown): Promise<string> {
    const { channel, root: id } = thread;
    const body = { name: nameOf(root), auto_archive_duration: ARCHIVE_MINUTES };
    try {
      const made = await call({ method: 'POST', path: `/channels/${channel}/messages/${id}/threads`, body });
      return idAt(made, 'id') ?? id;
    } catch (error) {
      if (!(error instanceof DiscordRefused)) throw error;
      if (error.code === CODES.threadExists) return id;
      if (error.code === CODES.unknownMessage) throw new ThreadGone('the message is gone', { cause: error });
      log?.('discord.no_thread', { reason: error.message });
      return channel;
    }
  }
}

/** Undefined for what is not there, or may not be read; of what a server has no way to ask for, nothing is known. */
async function quietly(look: () => Promise<unknown>): Promise<unknown> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof DiscordRefused && !hasCode(error, 0)) return undefined;
    if (error instanceof DiscordRefused && error.status === 404) return {};
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
  const name = words.length > LONGEST_NAME ? `${words.slice(0, LONGEST_NAME).toWellFormed()}…` : words;
  // A voice message has no words.
  return name || textAt(listAt(message, 'attachments')[0], 'filename') || '…';
}
