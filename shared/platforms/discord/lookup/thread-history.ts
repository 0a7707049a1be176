import { type TurnRef, userId } from '../../../domain/index.ts';
import { keepNewestMessages } from '../../index.ts';
import type { ThreadMessage, EarlierMessages } from '../../ports/index.ts';
import { DiscordApiError } from '../api/call.ts';
import { isForbidden, retryDiscord, getErrorReason } from '../api/errors.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { readValue, readId, readString } from '../api/json-path.ts';
import { isDirect, hasRootMessage } from '../inbound/conversation-key.ts';
import { getMessageWords } from './message-words.ts';
import { snowflakeToMs } from '../../../utils/index.ts';

const MAX_MESSAGES = 50;
const MAX_NAME_LENGTH = 80;
const TIMEOUT_MS = 8_000;

const NOTHING: EarlierMessages = { messages: [] };

/** The first message of a thread on a message. It is empty, and refers to that message. */
const THREAD_STARTER = 21;

/**
 * Reads the messages of a thread before the question, oldest first: its title, and of the last 50 those that `keepNewestMessages`
 * keeps. For a question that starts a thread, the message that it replies to; for one that starts a forum post, its title. Without
 * the intent Message Content, Discord omits the content of most messages. Empty if the bot may not read. Never throws.
 */
export async function readEarlierMessages(
  { call, time, log, applicationId }: DiscordDeps,
  findChannel: FindAnswerChannel,
  turn: TurnRef,
): Promise<EarlierMessages> {
  const { thread, message } = turn;
  if (!hasRootMessage(thread) || isDirect(thread)) return NOTHING;
  const retryOptions = { time, deadline: time.now() + TIMEOUT_MS };
  const get = (path: string) => retryDiscord(() => call({ method: 'GET', path }), retryOptions);
  const logFailure = (error: unknown) =>
    log?.('discord.history-read-failed', { reason: getErrorReason(error) });
  // The messages matter more than the title: they are used also without it.
  const readTitle = async (): Promise<ThreadMessage[]> => {
    try {
      return toTitle(await get(`/channels/${thread.root}`), applicationId);
    } catch (error) {
      logFailure(error);
      return [];
    }
  };
  try {
    if (message === thread.root) {
      const path = `/channels/${thread.channel}/messages/${message}`;
      const question = await get(path).catch((error: unknown) => {
        if (isForbidden(error) || !(error instanceof DiscordApiError)) throw error;
        return undefined;
      });
      // The first message of a forum post is in its thread, not in the forum.
      if (question === undefined) return { messages: await readTitle() };
      return { messages: keepNewestMessages(toThreadMessages(readValue(question, 'referenced_message'))) };
    }
    const channel = await findChannel(turn);
    // Without a thread, the surrounding messages do not belong to it.
    if (channel !== String(thread.root)) return NOTHING;
    const path = `/channels/${channel}/messages?before=${message}&limit=${MAX_MESSAGES}`;
    const [title, response] = await Promise.all([readTitle(), get(path)]);
    // The newest comes first.
    const messages = Array.isArray(response) ? response.toReversed().flatMap(toThreadMessages) : [];
    return { messages: [...title, ...keepNewestMessages(messages)] };
  } catch (error) {
    logFailure(error);
    return NOTHING;
  }
}

/** The title of a thread that a person opened, as a line of theirs. A thread of the bot is named after its question. */
function toTitle(thread: unknown, self: string): ThreadMessage[] {
  const by = readId(thread, 'owner_id');
  const text = readString(thread, 'name')?.trim() ?? '';
  if (text === '' || by === undefined || by === self) return [];
  const openedAt = snowflakeToMs(readId(thread, 'id') ?? '0');
  return [{ author: '(The title of the thread)', text, by: userId(by), at: openedAt }];
}

function toThreadMessages(raw: unknown): ThreadMessage[] {
  const message = readValue(raw, 'type') === THREAD_STARTER ? readValue(raw, 'referenced_message') : raw;
  const name =
    readString(message, 'author', 'global_name') ?? readString(message, 'author', 'username') ?? 'someone';
  const text = getMessageWords(message);
  const by = readId(message, 'author', 'id');
  const one = {
    author: name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
    text,
    at: snowflakeToMs(readId(message, 'id') ?? '0'),
    ...(by !== undefined && { by: userId(by) }),
    ...(readValue(message, 'author', 'bot') === true && { isBot: true }),
  };
  return text === '' ? [] : [one];
}
