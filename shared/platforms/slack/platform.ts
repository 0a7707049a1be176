import type { TurnRef } from '../../conversation/index.ts';
import type { Platform } from '../platform.ts';
import { createAgentApi } from './agent-api.ts';
import { SlackRefused } from './call.ts';
import { isGone } from './call-failure.ts';
import type { SlackDeps } from './deps.ts';
import { describeFile } from './described.ts';
import { readEarlier } from './earlier.ts';
import { fetchFile } from './files.ts';
import { readHistory } from './history.ts';
import { throwIfRateLimited, unlessRateLimited } from './history-limit.ts';
import { identifier } from './identity.ts';
import { type FindLeftovers, leftoverFinder, looseFinder } from './leftovers.ts';
import { nameFinder } from './names.ts';
import { findMessage, isGoneMessage } from './one-message.ts';
import { persist } from './patience.ts';
import { personFinder } from './people.ts';
import { findRecorded } from './recorded.ts';
import { rememberReplies } from './replies.ts';
import { createReply } from './reply.ts';
import { Session, sessionFinder } from './session.ts';
import { Traffic } from './traffic.ts';
import { waitTeller } from './wait-note.ts';
import { showNoticed, whisper } from './whisper.ts';
import { withdraw } from './withdraw.ts';

/** The question that a thread begins with has nothing before it. */
const isFirst = ({ thread, message }: TurnRef): boolean => message === thread.root;

/** A worker that looks for an earlier attempt has the whole answer still before it. */
const LOOK_WITHIN_MS = 15_000;

/** One Slack workspace as the flows see it. */
export function createSlackPlatform(deps: SlackDeps): Platform {
  const whoAmI = identifier(deps);
  const find = whereItIs(leftoverFinder(deps, whoAmI));
  const findLoose = whereItIs(looseFinder(deps, whoAmI));
  const nameOf = nameFinder(deps);
  const reading = { ...deps, call: rememberReplies(deps) };
  const person = deps.person ?? personFinder(deps);
  const traffic = new Traffic(deps.time, deps.tellOthers);
  const { time, log, agent = createAgentApi(deps) } = deps;
  const tell = waitTeller(deps);
  const sessionOf = sessionFinder(
    (turn) => new Session({ agent, time, log, tell: (words) => tell(turn, words) }, turn),
  );
  return {
    status: (turn, words, kind) => sessionOf(turn).show(words, kind),
    language: async (_, user) => (await person(user)).locale,
    leftovers: async (turn) => {
      const patience = { time: deps.time, deadline: deps.time.now() + LOOK_WITHIN_MS };
      const found = await unlessRateLimited(() => persist(() => find(turn), patience));
      if (!found) return { own: [], untied: [], unsearched: true };
      const idsWhere = (tied: boolean) =>
        found.filter(({ part }) => (part !== undefined) === tied).map(({ id }) => id);
      return { own: idsWhere(true), untied: idsWhere(false) };
    },
    noticed: (turn) => showNoticed(deps, turn),
    whisper: (turn, to, words, instead) => whisper(deps, turn, to, words, instead),
    withdraw: (turn, posted, certain) => withdraw({ ...deps, find, findLoose }, turn, posted, certain),
    earlier: async (turn) =>
      isFirst(turn) ? { said: [] } : readEarlier({ ...reading, whoAmI, nameOf }, turn),
    history: (place, range) => readHistory({ ...deps, whoAmI, nameOf }, place, range),
    message: (place, message) => findMessage(deps, place, message).catch(throwIfRateLimited),
    recorded: (turn) => (isFirst(turn) ? undefined : () => findRecorded(reading, turn)),
    gone: (turn) => isGoneMessage(deps, turn),
    described: (_, attachment) => describeFile(deps, attachment),
    file: (_, attachment, mostBytes) => fetchFile(deps, attachment, mostBytes),
    reply: (turn, existing, { locale, others } = {}) =>
      createReply({ ...deps, find, findLoose, traffic, sessionOf, locale, others }, turn, existing),
  };
}

/** Where nothing can be said any more, nothing is left to be put right. */
function whereItIs(find: FindLeftovers): FindLeftovers {
  return async (turn) => {
    try {
      return await find(turn);
    } catch (error) {
      if (error instanceof SlackRefused && isGone(error.code)) return [];
      throw error;
    }
  };
}
