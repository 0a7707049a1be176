import type { TurnRef } from '../../domain/index.ts';
import type { Platform } from '../ports/index.ts';
import { createAgentApi, AssistantSession } from './session/assistant-session.ts';
import { SlackApiError } from './api/call.ts';
import { isGone } from './api/errors.ts';
import type { SlackDeps } from './deps.ts';
import { describeFile } from './files/file-info.ts';
import { readEarlierMessages } from './lookup/thread-history.ts';
import { fetchFile } from './files/fetch-file.ts';
import { readHistory } from './lookup/channel-history.ts';
import { throwIfRateLimited, readUnlessRateLimited } from './lookup/history-limit.ts';
import { createBotIdentityFinder } from './lookup/bot-identity.ts';
import { type FindOrphans, createOrphanFinder, createUnthreadedFinder } from './answer/orphaned-messages.ts';
import { displayNameFinder } from './lookup/display-name.ts';
import { MENTION, nameMentions, limitNameLookups } from './lookup/mentions.ts';
import { findMessage, isMessageDeleted } from './lookup/message.ts';
import { readMessageFiles } from './lookup/message-files.ts';
import { retrySlack } from './api/retry.ts';
import { userProfileFinder } from './lookup/user-profile.ts';
import { searchMessages } from './lookup/message-search.ts';
import { findRecordings } from './lookup/recordings.ts';
import { cacheReplies } from './lookup/thread-pages.ts';
import { createReply, StreamLoad } from './answer/reply.ts';
import { queueNotifier } from './posts/queue-note.ts';
import { showAcknowledged, postEphemeral } from './posts/ephemeral.ts';
import { deleteAnswer } from './answer/delete-answer.ts';

/** The question that a thread begins with has nothing before it. */
const isFirst = ({ thread, message }: TurnRef): boolean => message === thread.root;

/** A worker that looks for an earlier attempt has the whole answer still before it. */
const CHECK_TIMEOUT_MS = 15_000;

/** One Slack workspace as the flows see it. */
export function createSlackPlatform(deps: SlackDeps): Platform {
  const whoAmI = createBotIdentityFinder(deps);
  const find = emptyIfGone(createOrphanFinder(deps, whoAmI));
  const findUnthreaded = emptyIfGone(createUnthreadedFinder(deps, whoAmI));
  const nameOf = displayNameFinder(deps);
  const reading = { ...deps, call: cacheReplies(deps) };
  const person = deps.person ?? userProfileFinder(deps);
  const streamLoad = new StreamLoad(deps.time, deps.reportOpenStreams);
  const { time, log, agent = createAgentApi(deps) } = deps;
  const tell = queueNotifier(deps);
  const sessionOf = sessionFinder(
    (turn) => new AssistantSession({ agent, time, log, tell: (words) => tell(turn, words) }, turn),
  );
  return {
    showStatus: (turn, words, kind) => sessionOf(turn).show(words, kind),
    getLocale: async (_, user) => (await person(user)).locale,
    findOrphanedMessages: async (turn) => {
      const retryOptions = { time: deps.time, deadline: deps.time.now() + CHECK_TIMEOUT_MS };
      const messages = await readUnlessRateLimited(() => retrySlack(() => find(turn), retryOptions));
      if (!messages) return { ofTurn: [], unattributed: [], isIncomplete: true };
      const listIds = (hasPart: boolean) =>
        messages.filter(({ part }) => (part !== undefined) === hasPart).map(({ id }) => id);
      return { ofTurn: listIds(true), unattributed: listIds(false) };
    },
    acknowledge: (turn) => showAcknowledged(deps, turn),
    postEphemeral: (turn, ...message) => postEphemeral(deps, turn, ...message),
    // Slack's interactions do not compete for an answer.
    isSuperseded: () => Promise.resolve(false),
    deleteAnswer: (turn, posted, certain) =>
      deleteAnswer({ ...deps, find, findUnthreaded }, turn, posted, certain),
    fetchEarlierMessages: async (turn) =>
      isFirst(turn) ? { messages: [] } : readEarlierMessages({ ...reading, whoAmI, nameOf }, turn),
    readHistory: (place, range) => readHistory({ ...deps, whoAmI, nameOf }, place, range),
    findMessage: (place, message) => findMessage(deps, place, message).catch(throwIfRateLimited),
    findRecordings: (turn) => (isFirst(turn) ? undefined : () => findRecordings(reading, turn)),
    nameMentions: (_, texts) =>
      texts.some((text) => text.search(MENTION) >= 0)
        ? limitNameLookups(nameOf, time, (read) => nameMentions(texts, read))
        : undefined,
    prepareMessageSearch: (_, token) => (query, signal) => searchMessages(deps, { query, token }, signal),
    isDeleted: (turn) => isMessageDeleted(deps, turn),
    resolveFile: (_, attachment) => describeFile(deps, attachment),
    listFiles: (turn, withThread) => readMessageFiles(withThread ? reading : deps, turn, withThread),
    downloadFile: (_, attachment, maxBytes) => fetchFile(deps, attachment, maxBytes),
    reply: (turn, existing, { locale, others } = {}) =>
      createReply({ ...deps, find, findUnthreaded, streamLoad, sessionOf, locale, others }, turn, existing),
  };
}

/** A search that finds nothing where nothing can be posted any more: there is nothing left to continue or to delete. */
function emptyIfGone(find: FindOrphans): FindOrphans {
  return async (turn) => {
    try {
      return await find(turn);
    } catch (error) {
      if (error instanceof SlackApiError && isGone(error.code)) return [];
      throw error;
    }
  };
}

/** Limits the sessions of turns that another process continued. */
const MAX_SESSIONS = 1_000;

/** Returns the session of a turn, which its status and its answer share. */
function sessionFinder(make: (turn: TurnRef) => AssistantSession): (turn: TurnRef) => AssistantSession {
  const sessions = new Map<string, AssistantSession>();
  return (turn) => {
    for (const [key, { isOver }] of sessions) if (isOver) sessions.delete(key);
    const key = `${turn.thread.channel}#${turn.thread.root}#${turn.message}`;
    const session = sessions.get(key) ?? make(turn);
    const [oldest] = sessions.keys();
    if (oldest !== undefined && sessions.size >= MAX_SESSIONS) sessions.delete(oldest);
    sessions.set(key, session);
    return session;
  };
}
