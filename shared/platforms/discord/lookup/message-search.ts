import type { Thread } from '../../../domain/index.ts';
import { type MessageHit, type MessageSearch, MessageSearchError } from '../../ports/index.ts';
import { DiscordApiError, DiscordRateLimitError } from '../api/call.ts';
import { getRefusalKind } from '../api/errors.ts';
import { readId, readList, readNumber } from '../api/json-path.ts';
import type { DiscordDeps } from '../deps.ts';
import { toHistoryMessages } from './channel-history.ts';
import { isMissing, type PermissionFinder } from './permissions.ts';
import {
  type ChannelNames,
  isHistoryOpen,
  selectOpenChannels,
  selectPublicThreads,
} from './readable-channels.ts';

/** The most that Discord returns at once. */
const PAGE_SIZE = 25;
/** Discord allows 500; each is 31 characters of the URL. */
const MAX_CHANNELS = 250;
/** Discord prepares the index of a guild at its first search: docs:resources/message#search-guild-messages. */
const INDEX_NOT_READY = 110000;
const MAX_ATTEMPTS = 4;
/** A tool has 20 s. */
const MAX_WAIT_MS = 12_000;
/** Where Discord says 0: "after a short delay". */
const SHORT_DELAY_MS = 1_000;

type SearchDeps = Pick<DiscordDeps, 'call' | 'guild' | 'time' | 'applicationId'> & {
  readonly permissions: PermissionFinder;
};

/**
 * Creates the search for one question. It finds messages of people in channels that everybody in the guild may read, in the channel of the
 * question if all its readers may read its history, in public threads of these, and in the thread of the question itself. The channels are
 * read once per question.
 */
export function createMessageSearch(deps: SearchDeps, thread: Thread): MessageSearch {
  let reading: Promise<ChannelNames> | undefined;
  return async (query, signal) => {
    try {
      const channels = await (reading ??= readChannels(deps, thread));
      signal.throwIfAborted();
      if (channels.size === 0) throw new MessageSearchError('no-permission');
      const response = await searchGuild(deps, searchPath(query, thread, channels), signal);
      return toHits(response, { deps, thread, channels });
    } catch (error) {
      signal.throwIfAborted();
      throw toSearchError(error);
    }
  };
}

/** Finds the channels to search, that of the question first. */
async function readChannels(
  { call, guild, permissions }: SearchDeps,
  { workspace, channel }: Thread,
): Promise<ChannelNames> {
  const everyone = (await guild(workspace)).roles?.get(workspace);
  // The bot is no member.
  if (everyone === undefined) throw new MessageSearchError('not-offered');
  const all = readList({ all: await call({ method: 'GET', path: `/guilds/${workspace}/channels` }) }, 'all');
  const own = all.filter(
    (one) => readId(one, 'id') === String(channel) && isHistoryOpen(one, workspace, everyone),
  );
  const granted = own.length > 0 ? await permissions({ workspace, channel }) : undefined;
  const isReadable = !isMissing(granted, 'ViewChannel') && !isMissing(granted, 'ReadMessageHistory');
  const here = new Map(own.flatMap((one) => (isReadable ? [[String(channel), readName(one)] as const] : [])));
  return new Map([...here, ...selectOpenChannels(all, workspace, everyone)].slice(0, MAX_CHANNELS));
}

const readName = (channel: unknown): string => {
  const name = typeof channel === 'object' && channel !== null && 'name' in channel ? channel.name : '';
  return typeof name === 'string' ? name : '';
};

function searchPath(query: string, { workspace }: Thread, channels: ChannelNames): string {
  const search = new URLSearchParams({
    content: query,
    author_type: 'user',
    sort_by: 'relevance',
    limit: String(PAGE_SIZE),
  });
  for (const id of channels.keys()) search.append('channel_id', id);
  return `/guilds/${workspace}/messages/search?${search}`;
}

/** Searches; while Discord prepares the index, waits for as long as it says and tries again. */
async function searchGuild({ call, time }: SearchDeps, path: string, signal: AbortSignal): Promise<unknown> {
  const deadline = time.now() + MAX_WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    const response = await call({ method: 'GET', path });
    signal.throwIfAborted();
    if (readNumber(response, 'code') !== INDEX_NOT_READY) return response;
    const waitMs = (readNumber(response, 'retry_after') ?? 0) * 1_000 || SHORT_DELAY_MS;
    if (attempt >= MAX_ATTEMPTS || time.now() + waitMs > deadline) throw new MessageSearchError('indexing');
    await time.sleep(waitMs, signal);
  }
}

type SearchScope = { readonly deps: SearchDeps; readonly thread: Thread; readonly channels: ChannelNames };

/** Converts the results. What is in none of the channels is left out, whatever Discord found. */
function toHits(response: unknown, { deps, thread, channels }: SearchScope): MessageHit[] {
  const threads = readList(response, 'threads');
  const names = new Map([...channels, ...selectPublicThreads(threads, channels)]);
  const here = channels.get(thread.channel);
  if (here !== undefined && threads.some((one) => readId(one, 'id') === thread.root))
    names.set(thread.root, here);
  const groups = readList(response, 'messages').map((group) => readList({ group }, 'group'));
  return groups.flat().flatMap((message) => {
    const channel = readId(message, 'channel_id') ?? '';
    const name = names.get(channel);
    if (name === undefined) return [];
    const [read] = toHistoryMessages(message, { place: thread, channel, self: deps.applicationId });
    return read && read.text !== '' && read.link !== undefined
      ? [{ ...read, link: read.link, channel: name }]
      : [];
  });
}

function toSearchError(error: unknown): MessageSearchError {
  if (error instanceof MessageSearchError) return error;
  if (error instanceof DiscordRateLimitError) return new MessageSearchError('busy');
  if (!(error instanceof DiscordApiError)) return new MessageSearchError('down');
  const failure = getRefusalKind(error) === 'forbidden' ? 'no-permission' : 'down';
  return new MessageSearchError(failure, `${error.status} ${error.code}`);
}
