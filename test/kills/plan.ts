import { createRandom, pick, type Random } from '../simulators/upstream/random.ts';

/** What is killed: the main process of `npm start`, the thread of a function, or the process of the relay. */
export type KillTarget = 'system' | 'Worker' | 'SlackEvents' | 'DiscordInteractions' | 'relay';

export type Kill = {
  /** ms since the beginning of the round. */
  readonly atMs: number;
  readonly victim: KillTarget;
  /** How long the system stays away, where all of it was killed. */
  readonly downMs: number;
};

/** What somebody does. */
export type UserAction =
  | 'thread'
  | 'edit'
  | 'stop'
  | 'voice'
  | 'video'
  | 'discord-ask'
  | 'discord-thread'
  | 'discord-voice'
  | 'discord-video';

export type PlannedUserAction = { readonly atMs: number; readonly deed: UserAction; readonly random: Random };

/** What happens in a round: people do things while parts are killed, then nothing is killed until all has ended. */
export type Round = { readonly kills: readonly Kill[]; readonly deeds: readonly PlannedUserAction[] };

/** On average: at most 1.5 times as long. */
const BETWEEN_KILLS_MS = 2_000;
const BETWEEN_DEEDS_MS = 1_100;
const MAX_DOWN_MS = 500;

/** The whole system as often as all of its parts together. */
const VICTIMS: readonly [KillTarget, ...KillTarget[]] = [
  'system',
  'system',
  'system',
  'system',
  'system',
  'Worker',
  'Worker',
  'SlackEvents',
  'DiscordInteractions',
  'relay',
];
const DEEDS: readonly [UserAction, ...UserAction[]] = [
  'thread',
  'thread',
  'thread',
  'edit',
  'edit',
  'stop',
  'voice',
  'video',
  'discord-ask',
  'discord-ask',
  'discord-thread',
  'discord-voice',
  'discord-video',
];

/**
 * The round of this number. The same seed and number give the same kills and deeds at the same moments; what a kill meets depends on how fast the
 * machine is.
 */
export function planRound(seed: number, nth: number, kills: number): Round {
  const random = createRandom(seed * 1_000 + nth);
  let at = 500;
  const planned = Array.from({ length: kills }, (): Kill => {
    at += Math.round(BETWEEN_KILLS_MS * (0.25 + 1.25 * random()));
    return { atMs: at, victim: pick(random, VICTIMS), downMs: Math.round(MAX_DOWN_MS * random()) };
  });
  const deeds: PlannedUserAction[] = [];
  for (let when = 0; when < at; when += Math.round(2 * BETWEEN_DEEDS_MS * random())) {
    const own = createRandom(Math.floor(random() * 2 ** 32));
    deeds.push({ atMs: when, deed: pick(random, DEEDS), random: own });
  }
  return { kills: planned, deeds };
}
