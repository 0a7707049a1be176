import type { Thread, TurnRef } from '../../conversation/index.ts';
import type { Platform } from '../platform.ts';
import { persist } from './call-failure.ts';
import type { DiscordDeps } from './deps.ts';
import { readEarlier } from './earlier.ts';
import { fetchFile } from './files.ts';
import { readHistory } from './history.ts';
import { languageFinder } from './language.ts';
import { leftoverFinder } from './leftovers.ts';
import { findRecorded, mayHoldRecorded } from './recorded.ts';
import { permissionFinder } from './permissions.ts';
import { createReply } from './reply.ts';
import { statusShower } from './status.ts';
import { overtaken, showNoticed, whisper } from './whisper.ts';
import { WaitLines } from './wait-lines.ts';
import { waking } from './waking.ts';
import { whereFinder } from './where.ts';
import { withdraw } from './withdraw.ts';

/** A worker that looks for an earlier attempt has the whole answer still before it. */
const LOOK_WITHIN_MS = 15_000;

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
  const deps = { ...given, call: waking(given.call) };
  const permissions = permissionFinder(deps);
  const questions = new Questions();
  const where = whereFinder({ ...deps, permissions, questionOf: (thread) => questions.of(thread) });
  const find = leftoverFinder(deps, where);
  const lines = new WaitLines({ ...deps, where, permissions });
  return {
    status: statusShower(deps, where, lines),
    language: languageFinder(deps),
    leftovers: async (turn) => {
      const patience = { time: deps.time, deadline: deps.time.now() + LOOK_WITHIN_MS };
      return { own: await persist(() => find(turn), patience), untied: [] };
    },
    noticed: (turn) => showNoticed(deps, where, turn),
    whisper: (...what) => whisper(deps, ...what),
    overtaken: (turn, ticket) => overtaken(deps, turn, ticket),
    withdraw: (turn, posted) => withdraw({ ...deps, find, where, permissions }, turn, posted),
    earlier: (turn) => readEarlier(deps, where, turn),
    history: (place, range) => readHistory({ ...deps, permissions }, place, range),
    recorded: (turn) => (mayHoldRecorded(turn.thread) ? () => findRecorded(deps, where, turn) : undefined),
    file: (turn, attachment, mostBytes) => fetchFile(deps, turn, attachment, mostBytes),
    reply: (turn, existing, about) => {
      questions.keep(turn, about?.question);
      return createReply({ ...deps, find, where, permissions, lines }, turn, existing, about);
    },
  };
}
