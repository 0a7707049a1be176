import { createRandom, pick, type Random } from '../simulators/upstream/random.ts';

/** The target of a kill: the main process of `npm start`, the thread of a function, or the process of the relay. */
export type KillTarget =
  | 'system'
  | 'Worker'
  | 'LargeWorker'
  | 'SlackEvents'
  | 'DiscordInteractions'
  | 'IntegrationApi'
  | 'relay';

export type Kill = {
  /** Milliseconds since the start of the round. */
  readonly atMs: number;
  readonly victim: KillTarget;
  /** How long the system stays down after a kill of all of it. */
  readonly downMs: number;
};

/** An action of a person, or of a program. */
export type UserAction =
  | 'thread'
  | 'edit'
  | 'stop'
  | 'continue'
  | 'regenerate'
  | 'api'
  | 'api-stream'
  | 'schedule'
  | 'document'
  | 'fact'
  | 'export'
  | 'forget'
  | 'voice'
  | 'video'
  | 'discord-ask'
  | 'discord-thread'
  | 'discord-voice'
  | 'discord-video';

export type PlannedUserAction = { readonly atMs: number; readonly deed: UserAction; readonly random: Random };

/** A round: people act while parts are killed; then nothing is killed until everything has ended. */
export type Round = { readonly kills: readonly Kill[]; readonly deeds: readonly PlannedUserAction[] };

/** The average pause; the longest is 1.5 times as long. */
const BETWEEN_KILLS_MS = 2_000;
const BETWEEN_DEEDS_MS = 1_100;
const MAX_DOWN_MS = 500;

/** The whole system is killed as often as all of its parts together. */
const VICTIMS: readonly [KillTarget, ...KillTarget[]] = [
  'system',
  'system',
  'system',
  'system',
  'system',
  'system',
  'system',
  'Worker',
  'Worker',
  'LargeWorker',
  'SlackEvents',
  'DiscordInteractions',
  'IntegrationApi',
  'relay',
];
type Actions = readonly [UserAction, ...UserAction[]];
const DEEDS: Actions = [
  'thread',
  'thread',
  'thread',
  'edit',
  'edit',
  'stop',
  'continue',
  'regenerate',
  'api',
  'api-stream',
  'schedule',
  'schedule',
  'document',
  'fact',
  'export',
  'forget',
  'voice',
  'video',
  'discord-ask',
  'discord-ask',
  'discord-thread',
  'discord-voice',
  'discord-video',
];

/** The actions with these names, or all. Throws for an unknown name. */
export function actionsNamed(names: readonly string[]): Actions {
  const [first, ...others] = names.map((name) => {
    const action = DEEDS.find((one) => one === name);
    if (!action) throw new Error(`There is no action ${name}. There are: ${[...new Set(DEEDS)].join(', ')}`);
    return action;
  });
  return first ? [first, ...others] : DEEDS;
}

/**
 * The round with this number. The same seed and number give the same kills and actions at the same times; what a kill
 * interrupts depends on the speed of the machine.
 */
export function planRound(seed: number, nth: number, kills: number, actions: Actions = DEEDS): Round {
  const random = createRandom(seed * 1_000 + nth);
  let at = 500;
  const planned = Array.from({ length: kills }, (): Kill => {
    at += Math.round(BETWEEN_KILLS_MS * (0.25 + 1.25 * random()));
    return { atMs: at, victim: pick(random, VICTIMS), downMs: Math.round(MAX_DOWN_MS * random()) };
  });
  const deeds: PlannedUserAction[] = [];
  for (let when = 0; when < at; when += Math.round(2 * BETWEEN_DEEDS_MS * random())) {
    const own = createRandom(Math.floor(random() * 2 ** 32));
    deeds.push({ atMs: when, deed: pick(random, actions), random: own });
  }
  return { kills: planned, deeds };
}
