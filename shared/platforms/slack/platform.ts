import { FileRefused, type Platform } from '../platform.ts';
import type { SlackDeps } from './deps.ts';
import { leftoverFinder } from './leftovers.ts';
import { persist } from './patience.ts';
import { createReply } from './reply.ts';
import { showStatus } from './status.ts';

/** A worker that looks for an earlier attempt has the whole answer still before it. */
const LOOK_WITHIN_MS = 15_000;

/** One Slack workspace as the flows see it. */
export function createSlackPlatform(deps: SlackDeps): Platform {
  const find = leftoverFinder(deps);
  const traffic = { open: 0 };
  return {
    status: (turn, words) => showStatus(deps, turn, words),
    leftovers: async (turn) => {
      const patience = { time: deps.time, deadline: deps.time.now() + LOOK_WITHIN_MS };
      return (await persist(() => find(turn), patience)).map(({ id }) => id);
    },
    noticed: () => Promise.resolve(),
    whisper: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
    earlier: () => Promise.resolve([]),
    file: () => Promise.reject(new FileRefused('Files cannot be read yet.')),
    reply: (turn, existing) => createReply({ ...deps, find, traffic }, turn, existing),
  };
}
