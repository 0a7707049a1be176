import type { Platform } from '../platform.ts';
import type { SlackDeps } from './deps.ts';
import { leftoverFinder } from './leftovers.ts';
import { createReply } from './reply.ts';
import { showStatus } from './status.ts';

/** One Slack workspace as the flows see it. */
export function createSlackPlatform(deps: SlackDeps): Platform {
  const find = leftoverFinder(deps);
  const traffic = { open: 0 };
  return {
    status: (turn, words) => showStatus(deps, turn, words),
    leftovers: async (turn) => (await find(turn)).map(({ id }) => id),
    reply: (turn, existing) => createReply({ ...deps, find, traffic }, turn, existing),
  };
}
