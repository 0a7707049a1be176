import { NO_GUILD, type Thread, type TurnRef } from '../../domain/index.ts';
import type { Platform } from '../ports/index.ts';
import { retryDiscord } from './api/errors.ts';
import type { DiscordDeps } from './deps.ts';
import { readEarlierMessages } from './lookup/thread-history.ts';
import { fetchFile } from './files/fetch-file.ts';
import { readHistory } from './lookup/channel-history.ts';
import { createLocaleFinder } from './lookup/locale.ts';
import { createMessageSearch } from './lookup/message-search.ts';
import { createOrphanFinder } from './answer/orphaned-messages.ts';
import { findRecordings, canContainRecordings } from './lookup/recordings.ts';
import { createPermissionFinder } from './lookup/permissions.ts';
import { shareMessageReads } from './lookup/share-message-reads.ts';
import { createReply } from './answer/reply.ts';
import { createShowStatus } from './answer/status.ts';
import { isSuperseded, showAcknowledged, postEphemeral } from './posts/ephemeral.ts';
import { QueueStatusMessages } from './answer/queue-status-message.ts';
import { unarchiveThread } from './posts/unarchive-thread.ts';
import { answerChannelFinder } from './posts/answer-channel.ts';
import { deleteAnswer } from './answer/delete-answer.ts';

/** The timeout of the search for messages of earlier attempts. Short, because the whole answer is still to come. */
const CHECK_TIMEOUT_MS = 15_000;

/**
 * The questions that start threads, while they are answered. They name the thread if the bot may not read
 * the message.
 */
class Questions {
  readonly #words = new Map<string, string>();

  keep({ thread, message }: TurnRef, question = ''): void {
    if (message !== thread.root || question === '') return;
    if (this.#words.size >= MAX_QUESTIONS) this.#words.clear();
    this.#words.set(thread.root, question.slice(0, MAX_QUESTION_LENGTH));
  }

  getQuestion({ root }: Pick<Thread, 'root'>): string | undefined {
    return this.#words.get(root);
  }
}

const MAX_QUESTIONS = 200;
const MAX_QUESTION_LENGTH = 300;

/** Creates the platform port for Discord: all guilds, and the direct messages of all people. */
export function createDiscordPlatform(platformDeps: DiscordDeps): Platform {
  const deps = { ...platformDeps, call: unarchiveThread(platformDeps.call) };
  const permissions = createPermissionFinder(deps);
  const questions = new Questions();
  // Both read the message of the question, at the start of its answer.
  const [callForChannel, callForPrompt] = shareMessageReads(deps.call, deps.time);
  const findChannel = answerChannelFinder({
    ...deps,
    call: callForChannel,
    permissions,
    questionOf: (thread) => questions.getQuestion(thread),
  });
  const find = createOrphanFinder(deps, findChannel);
  const statuses = new QueueStatusMessages({ ...deps, findChannel, permissions });
  return {
    showStatus: createShowStatus(deps, findChannel, statuses),
    getLocale: createLocaleFinder(deps),
    findOrphanedMessages: async (turn) => {
      const retryOptions = { time: deps.time, deadline: deps.time.now() + CHECK_TIMEOUT_MS };
      return { ofTurn: await retryDiscord(() => find(turn), retryOptions), unattributed: [] };
    },
    acknowledge: (turn) => showAcknowledged(deps, findChannel, turn),
    postEphemeral: (...what) => postEphemeral(deps, ...what),
    isSuperseded: (turn, token) => isSuperseded(deps, turn, token),
    deleteAnswer: (turn, posted) => deleteAnswer({ ...deps, find, findChannel, permissions }, turn, posted),
    fetchEarlierMessages: (turn) => readEarlierMessages({ ...deps, call: callForPrompt }, findChannel, turn),
    readHistory: (place, range) => readHistory({ ...deps, permissions }, place, range),
    // The bot receives no reactions; no other event refers to a message by its id alone.
    findMessage: () => Promise.resolve(undefined),
    prepareMessageSearch: ({ thread }) =>
      String(thread.workspace) === NO_GUILD
        ? undefined
        : createMessageSearch({ ...deps, permissions }, thread),
    isDeleted: () => Promise.resolve(false),
    // Messages contain all metadata of their files.
    nameMentions: () => undefined,
    resolveFile: (_, attachment) => Promise.resolve(attachment),
    listFiles: () => Promise.resolve([]),
    findRecordings: (turn) =>
      canContainRecordings(turn.thread) ? () => findRecordings(deps, findChannel, turn) : undefined,
    downloadFile: (turn, attachment, maxBytes) => fetchFile(deps, turn, attachment, maxBytes),
    reply: (turn, existing, about) => {
      questions.keep(turn, about?.question);
      return createReply({ ...deps, find, findChannel, permissions, statuses }, turn, existing, about);
    },
  };
}
