import { NO_GUILD } from '../../../domain/index.ts';
import { DEFAULT_VALUES, resolve, type SettingsLayers } from '../../../settings/rules/index.ts';
import type { Schedule } from '../../../storage/index.ts';

/** `off`: nobody may schedule here. `admins`: only administrators may. */
export type ScheduleRefusal = 'off' | 'admins';

/**
 * Returns why a person may not schedule here; undefined if they may. Chats of Discord outside guilds have no administrator who could
 * allow it.
 */
export function findScheduleRefusal(
  { workspace }: Pick<Schedule, 'workspace'>,
  layers: SettingsLayers,
  admin: boolean,
): ScheduleRefusal | undefined {
  const policy = resolve('schedules', layers).value ?? DEFAULT_VALUES.schedules;
  if (policy === 'off' || String(workspace) === NO_GUILD) return 'off';
  return policy === 'admins' && !admin ? 'admins' : undefined;
}

/** A workspace has at most so many: fewer than `Schedules.list` returns. */
const MAX_SCHEDULES = 150;

/** Returns which limit forbids a person another schedule in a workspace that has these. */
export function findReachedLimit(
  all: readonly Schedule[],
  by: Schedule['by'],
  layers: SettingsLayers,
): { readonly kind: 'limit' | 'full'; readonly count: number } | undefined {
  const own = all.filter((one) => one.by === by && isOwnContent(one)).length;
  const max = resolve('scheduleLimit', layers).value ?? DEFAULT_VALUES.scheduleLimit;
  if (own >= max) return { kind: 'limit', count: own };
  return all.length >= MAX_SCHEDULES ? { kind: 'full', count: all.length } : undefined;
}

/** Whether it is set up with the command `schedule`. */
export const isOwnContent = ({ content }: Pick<Schedule, 'content'>): boolean =>
  content.kind === 'prompt' || content.kind === 'digest';
