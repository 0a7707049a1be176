import type { CommandsContext } from '../context.ts';
import { DEFAULT_VALUES, isMemoryAllowed, resolve } from '../../settings/rules/index.ts';

/** Administrators only. */
const ADMIN_COMMANDS: ReadonlySet<string> = new Set(['feedback', 'integrations', 'key', 'quota', 'weekly']);
/** They need recorded usage. */
const USAGE_COMMANDS: ReadonlySet<string> = new Set(['quota', 'usage', 'weekly']);
const VIDEO_COMMANDS: ReadonlySet<string> = new Set(['animate', 'edit', 'imagine', 'video']);

type AvailabilityContext = Pick<CommandsContext, 'settings' | 'videos' | 'budgets'>;

/** Whether the person may make videos and pictures here. */
export function mayMakeVideos(
  { admin }: { readonly admin: boolean },
  { settings, videos }: Pick<CommandsContext, 'settings' | 'videos'>,
): boolean {
  const policy = resolve('video', settings.layers).value ?? DEFAULT_VALUES.video;
  return videos.enabled && isPermitted(policy, admin);
}

const isPermitted = (policy: string, admin: boolean): boolean =>
  policy !== 'off' && (policy !== 'admins' || admin);

/** Whether a command, by its name, does something for the person here: for lists of what the bot can do. */
export function isCommandOn(
  name: string,
  caller: { readonly admin: boolean },
  context: AvailabilityContext,
): boolean {
  if (ADMIN_COMMANDS.has(name) && !caller.admin) return false;
  if (USAGE_COMMANDS.has(name) && !context.budgets.enabled) return false;
  if (name === 'schedule')
    return isPermitted(
      resolve('schedules', context.settings.layers).value ?? DEFAULT_VALUES.schedules,
      caller.admin,
    );
  if (name === 'memory') return isMemoryAllowed(context.settings.layers);
  return !VIDEO_COMMANDS.has(name) || mayMakeVideos(caller, context);
}
