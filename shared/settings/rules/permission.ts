import { type SettingsLayers, resolveSetting } from './resolve-levels.ts';
import { WORKSPACE_LEVELS, DEPLOYMENT_LEVEL } from './level-names.ts';

/** Why somebody may not use the bot here. */
export type PermissionRefusal = 'denied' | 'not-allowed' | 'not-here';

export type PermissionSubject = {
  readonly user: string;
  readonly roles: readonly string[];
  readonly channel: string | undefined;
  /** Whether the platform says that they administer the workspace. */
  readonly admin: boolean;
};

/** All that somebody goes by in a list: Discord's roles are written with the `&` of their mentions, or by their id alone. */
export const idsOf = (user: string, roles: readonly string[]): string[] => [
  user,
  ...roles,
  ...roles.map((role) => `&${role}`),
];

/** Whether somebody may be kept out here at all: where not, nobody has to be asked who they are. */
export function isRestricted({ channel, workspace, deployment }: SettingsLayers): boolean {
  return [channel, workspace, deployment].some((layer) => {
    const { allowed = [], denied = [], channels = [] } = layer?.values ?? {};
    return allowed.length + denied.length + channels.length > 0;
  });
}

/** Whether the bot is silent: what a thread says of that, `layers` may lack. */
export const isSilent = (layers: SettingsLayers): boolean =>
  resolveSetting(['thread', ...WORKSPACE_LEVELS], 'mentions', layers).value === 'off';

/** Whether somebody may use the bot, or why not. Who administers the workspace always may: they could allow themselves. */
export function mayUse(asker: PermissionSubject, layers: SettingsLayers): PermissionRefusal | undefined {
  if (asker.admin) return undefined;
  const ids = new Set(idsOf(asker.user, asker.roles));
  const names = (list: readonly string[] | undefined): boolean => list?.some((id) => ids.has(id)) === true;
  const allowed = resolveSetting(WORKSPACE_LEVELS, 'allowed', layers).value ?? [];
  const channels = resolveSetting(DEPLOYMENT_LEVEL, 'channels', layers).value ?? [];
  // Denied anywhere is denied: a channel cannot let in whom the workspace keeps out.
  const denied = [layers.channel, layers.workspace, layers.deployment].some((layer) =>
    names(layer?.values.denied),
  );
  if (denied) return 'denied';
  if (asker.channel !== undefined && channels.length > 0 && !channels.includes(asker.channel))
    return 'not-here';
  return allowed.length > 0 && !names(allowed) ? 'not-allowed' : undefined;
}
