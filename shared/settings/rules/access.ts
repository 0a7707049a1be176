import { type SettingsLayers, resolveSetting } from './resolve-settings.ts';
import { ADMIN_LEVELS, WORKSPACE_WIDE_LEVELS } from './level-names.ts';

/** Why a person may not use the bot here. */
export type AccessRefusal = 'denied' | 'not-allowed' | 'not-here';

export type AccessSubject = {
  readonly user: string;
  readonly roles: readonly string[];
  readonly channel: string | undefined;
  /** Whether the platform says that they administer the workspace. */
  readonly admin: boolean;
};

/** Returns the ids by which a list can name a person. Discord roles appear with the `&` of their mentions, or without. */
export const getListIds = (user: string, roles: readonly string[]): string[] => [
  user,
  ...roles,
  ...roles.map((role) => `&${role}`),
];

/** Returns whether access is restricted here at all. If not, nobody's roles need to be looked up. */
function isRestricted({ channel, workspace, deployment }: SettingsLayers): boolean {
  return [channel, workspace, deployment].some((layer) => {
    const { allowed = [], denied = [], channels = [] } = layer?.values ?? {};
    return allowed.length + denied.length + channels.length > 0;
  });
}

/** Returns whether the bot is silent here. `layers` may lack the thread's settings. */
export const isSilent = (layers: SettingsLayers): boolean =>
  resolveSetting(['thread', ...ADMIN_LEVELS], 'mentions', layers).value === 'off';

/** Returns why a person may not use the bot; undefined if they may. Admins always may: they could allow themselves. */
export function getAccessRefusal(asker: AccessSubject, layers: SettingsLayers): AccessRefusal | undefined {
  if (asker.admin) return undefined;
  const ids = new Set(getListIds(asker.user, asker.roles));
  const includesAsker = (list: readonly string[] | undefined): boolean =>
    list?.some((id) => ids.has(id)) === true;
  const allowed = resolveSetting(ADMIN_LEVELS, 'allowed', layers).value ?? [];
  const channels = resolveSetting(WORKSPACE_WIDE_LEVELS, 'channels', layers).value ?? [];
  // A channel cannot allow a person whom the workspace denies.
  const isDenied = [layers.channel, layers.workspace, layers.deployment].some((layer) =>
    includesAsker(layer?.values.denied),
  );
  if (isDenied) return 'denied';
  if (asker.channel !== undefined && channels.length > 0 && !channels.includes(asker.channel))
    return 'not-here';
  return allowed.length > 0 && !includesAsker(allowed) ? 'not-allowed' : undefined;
}

/** The user's roles in the workspace, and whether the platform says that they administer it. */
type Roles = Pick<AccessSubject, 'admin' | 'roles'>;

/**
 * Returns why a person may not use the bot in a channel; undefined if they may. `lookUpRoles` is called only if access is
 * restricted at all. Rejects when it does.
 */
export async function findAccessRefusal(
  subject: Pick<AccessSubject, 'user' | 'channel'>,
  layers: SettingsLayers,
  lookUpRoles: () => Promise<Roles>,
): Promise<AccessRefusal | undefined> {
  if (!isRestricted(layers)) return undefined;
  const { admin, roles } = await lookUpRoles();
  return getAccessRefusal({ ...subject, roles, admin }, layers);
}
