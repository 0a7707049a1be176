import type { Thread, TurnRef } from '../../domain/index.ts';
import type { Platform } from '../ports/index.ts';
import { retryDiscord } from './api/errors.ts';
import type { DiscordDeps } from './deps.ts';
import { readEarlierMessages } from './lookup/thread-history.ts';
import { fetchFile } from './files/fetch-file.ts';
import { readHistory } from './lookup/channel-history.ts';
import { languageFinder } from './lookup/locale.ts';
import { orphanFinder } from './answer/orphaned-messages.ts';
import { findRecordings, canContainRecordings } from './lookup/recordings.ts';
import { permissionFinder } from './lookup/permissions.ts';
import { createReply } from './answer/reply.ts';
import { statusShower } from './answer/status.ts';
import { isSuperseded, showAcknowledged, postEphemeral } from './posts/ephemeral.ts';
import { QueueStatusMessages } from './answer/queue-status-message.ts';
import { unarchiveThread } from './posts/unarchive-thread.ts';
import { answerChannelFinder } from './posts/answer-channel.ts';
import { deleteAnswer } from './answer/delete-answer.ts';

/** A worker that looks for an earlier attempt has the whole answer still before it. */
const CHECK_TIMEOUT_MS = 15_000;

/** The questions that threads begin with, while they are answered: one that may not be read still names its thread. */
class Questions {
  readonly #words = new Map<string, string>();

  keep({ thread, message }: TurnRef, question = ''): void {
    if (message !== thread.root || question === '') return;
    if (this.#words.size >= MAX_QUESTIONS) this.#words.clear();
    this.#words.set(thread.root, question.slice(0, MAX_QUESTION_LENGTH));
  }

  of({ root }: Pick<Thread, 'root'>): string | undefined {
    return this.#words.get(root);
  }
}

const MAX_QUESTIONS = 200;
const MAX_QUESTION_LENGTH = 300;

/** Discord as the flows see it: all guilds, and all people who brought the app along. */
export function createDiscordPlatform(given: DiscordDeps): Platform {
  const deps = { ...given, call: unarchiveThread(given.call) };
  const permissions = permissionFinder(deps);
  const questions = new Questions();
  const where = answerChannelFinder({ ...deps, permissions, questionOf: (thread) => questions.of(thread) });
  const find = orphanFinder(deps, where);
  const statuses = new QueueStatusMessages({ ...deps, where, permissions });
  return {
    showStatus: statusShower(deps, where, statuses),
    getLocale: languageFinder(deps),
    findOrphanedMessages: async (turn) => {
      const patience = { time: deps.time, deadline: deps.time.now() + CHECK_TIMEOUT_MS };
      return { ofTurn: await retryDiscord(() => find(turn), patience), unattributed: [] };
    },
    acknowledge: (turn) => showAcknowledged(deps, where, turn),
    postEphemeral: (...what) => postEphemeral(deps, ...what),
    isSuperseded: (turn, ticket) => isSuperseded(deps, turn, ticket),
    deleteAnswer: (turn, posted) => deleteAnswer({ ...deps, find, where, permissions }, turn, posted),
    fetchEarlierMessages: (turn) => readEarlierMessages(deps, where, turn),
    readHistory: (place, range) => readHistory({ ...deps, permissions }, place, range),
    // The bot receives no reactions, and nothing else names a message by its id alone.
    findMessage: () => Promise.resolve(undefined),
    isDeleted: () => Promise.resolve(false),
    // Messages tell all of their files.
    resolveFile: (_, attachment) => Promise.resolve(attachment),
    findRecordings: (turn) =>
      canContainRecordings(turn.thread) ? () => findRecordings(deps, where, turn) : undefined,
    downloadFile: (turn, attachment, mostBytes) => fetchFile(deps, turn, attachment, mostBytes),
    reply: (turn, existing, about) => {
      questions.keep(turn, about?.question);
      return createReply({ ...deps, find, where, permissions, statuses }, turn, existing, about);
    },
  };
}
