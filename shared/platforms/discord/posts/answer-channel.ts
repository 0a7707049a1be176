import type { RESTPostAPIChannelMessagesThreadsJSONBody } from 'discord-api-types/v10';
import type { ChannelId, Thread, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import { DiscordApiError } from '../api/call.ts';
import { getRefusalKind } from '../api/errors.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { ANNOUNCEMENT_THREAD, ARCHIVE_AFTER_ONE_DAY, PRIVATE_THREAD, PUBLIC_THREAD } from '../api/enums.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { readValue, readId, readList, readString } from '../api/json-path.ts';
import { isMissing, findMissing, type PermissionFinder } from '../lookup/permissions.ts';
import { readFileName } from '../inbound/attachments.ts';
import { isDirect, hasRootMessage } from '../inbound/conversation-key.ts';
import { truncateText } from '../../../utils/index.ts';

const MAX_ENTRIES = 1_000;
const MAX_NAME_LENGTH = 90;
const THREADS: ReadonlySet<unknown> = new Set([ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD]);

export type AnswerChannelDeps = Pick<DiscordDeps, 'call' | 'log'> & {
  /** Finds the permissions of the bot in the channel. Without it they are unknown. */
  readonly permissions?: PermissionFinder;
  /** The text of a question that the bot may not read, for the name of its thread. */
  readonly questionOf?: (thread: Thread) => string | undefined;
};

/**
 * Finds the channel of a conversation, once per conversation. A thread has the id of the message that it starts from. If the bot may not
 * create one or post in it, the answer is a reply in the channel itself. A message that the bot may not read may still exist. A thread of
 * another channel is none of this conversation: a program names both, and may only use the channel. Rejects with ThreadDeletedError if the
 * message is deleted, and as DiscordCall does.
 */
export function answerChannelFinder({
  call,
  log,
  permissions,
  questionOf,
}: AnswerChannelDeps): FindAnswerChannel {
  const cache = new Map<string, Promise<string>>();
  return (turn) => {
    const { thread } = turn;
    if (isDirect(thread) || !hasRootMessage(thread)) return Promise.resolve(thread.channel);
    const key = `${thread.channel} ${thread.root}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const channel = find(turn);
    if (cache.size >= MAX_ENTRIES) cache.clear();
    cache.set(key, channel);
    channel.catch(() => cache.delete(key));
    return channel;
  };

  async function find({ thread, message }: TurnRef): Promise<string> {
    const { channel, root } = thread;
    const threadExists = async (): Promise<boolean> =>
      isThreadOf(channel, await fetchResource(call, `/channels/${root}`));
    if (message !== root && (await threadExists())) return root;
    const [question, allowed] = await Promise.all([
      fetchResource(call, `/channels/${channel}/messages/${root}`),
      permissions?.(thread),
    ]);
    if (question.kind !== 'found') {
      // The first message of a forum post is in its thread, not in the forum channel.
      if (await threadExists()) return root;
      if (question.kind === 'not-found') throw new ThreadDeletedError('the message of the thread is deleted');
    } else if (readValue(question.content, 'thread') !== undefined) return root;
    const hasNoThreads = allowed && !allowed.supportsThreads && allowed.granted !== 0n;
    if (
      hasNoThreads ||
      isMissing(allowed, 'CreatePublicThreads') ||
      isMissing(allowed, 'SendMessagesInThreads')
    ) {
      log?.('discord.thread-not-created', {
        channel,
        missing: findMissing(allowed, THREAD_PERMISSIONS).join(', '),
      });
      return channel;
    }
    return createThread(
      { call, log },
      thread,
      question.kind === 'found' ? question.content : { content: questionOf?.(thread) },
    );
  }
}

/** Creates the thread of a question. Returns the channel itself if Discord does not allow it. */
async function createThread(
  { call, log }: Pick<AnswerChannelDeps, 'call'> & { readonly log: DiscordDeps['log'] | undefined },
  thread: Thread,
  question: unknown,
): Promise<string> {
  const { channel, root: id } = thread;
  const body = threadBody(question);
  try {
    const path = `/channels/${channel}/messages/${id}/threads`;
    return readId(await call({ method: 'POST', path, body }), 'id') ?? id;
  } catch (error) {
    if (!(error instanceof DiscordApiError)) throw error;
    if (error.code === ERROR_CODES.ThreadAlreadyCreatedForMessage) return id;
    if (getRefusalKind(error) === 'message-not-found')
      throw new ThreadDeletedError('the message of the thread is deleted', { cause: error });
    log?.('discord.thread-not-created', { channel, reason: error.message });
    return channel;
  }
}

const threadBody = (question: unknown) =>
  ({
    name: threadName(question),
    auto_archive_duration: ARCHIVE_AFTER_ONE_DAY,
  }) satisfies RESTPostAPIChannelMessagesThreadsJSONBody;

const THREAD_PERMISSIONS = ['CreatePublicThreads', 'SendMessagesInThreads'] as const;

/** A thread that the bot does not see is refused as forbidden, so it exists. */
const isThreadOf = (channel: ChannelId, resource: LookupResult): boolean =>
  resource.kind === 'found'
    ? THREADS.has(readValue(resource.content, 'type')) &&
      readId(resource.content, 'parent_id') === String(channel)
    : resource.kind === 'forbidden';

/** The result of a lookup. A forbidden resource may exist. */
type LookupResult =
  | { readonly kind: 'found'; readonly content: unknown }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'forbidden' };

/** Looks a resource up. A 404 without a code of Discord means that a proxy lacks the route, so nothing is known. Rejects as DiscordCall does. */
async function fetchResource(call: DiscordDeps['call'], path: string): Promise<LookupResult> {
  try {
    return { kind: 'found', content: await call({ method: 'GET', path }) };
  } catch (error) {
    if (!(error instanceof DiscordApiError)) throw error;
    if (getRefusalKind(error) === 'forbidden') return { kind: 'forbidden' };
    if (error.code !== 0) return { kind: 'not-found' };
    if (error.status === 404) return { kind: 'found', content: {} };
    throw error;
  }
}

/** Markup around words. An asterisk between spaces and an underscore within a word are no markup. */
const MARKUP = /(?<!\S)[*_`~|]+(?=\S)|(?<=\S)[*_`~|]+(?![^\s\p{P}])/gu;

/** A Markdown link. */
const LINK = /\[([^\]]{1,200})\]\([^)\s]{1,500}\)/gu;

/** The name of a thread: the text of its question, else the name of its first attachment. */
function threadName(message: unknown): string {
  const text = (readString(message, 'content') ?? '')
    .replace(/<[@#:a][^>]{1,60}>/g, ' ')
    .replace(LINK, '$1')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(MARKUP, '')
    .trim();
  // A voice message has no text. Names of files have up to 1,024 characters.
  const name = text || readFileName(readList(message, 'attachments')[0]);
  return truncateText(name, MAX_NAME_LENGTH) || '…';
}
