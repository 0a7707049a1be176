import { createWorkspace, type Workspace } from '../simulators/slack/workspace.ts';
import { type Identity, identityOf, type Person } from '../simulators/slack/identity.ts';

/** A workspace with the app: by the token of the deployment, by an install, or by an organization-wide install. */
export type SlackTenant = {
  readonly kind: 'slack';
  /** The tenant id in storage: that of the organization for an organization-wide install. */
  readonly tenant: string;
  readonly sim: Workspace;
  /** The OAuth code of its install; absent for the workspace of the deployment. */
  readonly code?: string;
};

const ADMIN = 'U0ADA00000';
const MEMBER = 'U0GRACE000';
const GUEST = 'U0GUS00000';
const BLOCKED = 'U0LIN00000';
const POOR = 'U0MIA00000';
/** Administers their own organization, and is a member of shared channels of the others. */
export const VISITOR = 'U9VISITOR0';

/**
 * Two workspaces have people with the same ids, and all have the same names: only the tenant differs. Where the app is installed in a whole
 * organization, the member administers a workspace of it.
 */
const people = (apart: (id: string) => string, isOrg: boolean): Person[] => [
  { id: apart(ADMIN), name: 'ada', realName: 'Ada Lovelace', admin: !isOrg, organizationRole: 'admin' },
  { id: apart(MEMBER), name: 'grace', realName: 'Grace Hopper', admin: isOrg },
  { id: apart(GUEST), name: 'gus', realName: 'Ada Lovelace', locale: 'de-DE' },
  { id: apart(BLOCKED), name: 'lin', realName: 'Lin Wang' },
  { id: apart(POOR), name: 'mia', realName: 'Grace Hopper' },
  { id: VISITOR, name: 'vera', realName: 'Vera', admin: true, teamId: 'T9OTHER000' },
];

/** The channel with this id is in every workspace: a Slack Connect channel has one id everywhere. */
const SHARED = 'C0SHARED00';

function tenant(nth: number, overrides: Partial<Identity>, code?: string, now?: () => number): SlackTenant {
  // The third has the ids of the first.
  const apart = (id: string): string => (nth === 1 ? `${id.slice(0, 1)}1${id.slice(2)}` : id);
  const users = people(apart, overrides.enterprise?.orgInstall === true);
  const identity = { ...overrides, users, botToken: `xoxb-of-${nth}` };
  const bot = identityOf(nth).botUserId;
  const everyone = [...users.map(({ id }) => id), bot];
  const few = [apart(ADMIN), apart(MEMBER), bot];
  const sim = createWorkspace({
    nth,
    identity,
    ...(now && { clock: now }),
    channels: [
      { id: SHARED, name: 'shared', kind: 'channel', members: everyone, connected: ['T9OTHER000'] },
      { id: `G${nth}SECRET00`, name: 'secret', kind: 'group', members: few },
    ],
  });
  const { enterprise, teamId } = sim.identity;
  return {
    kind: 'slack',
    tenant: enterprise?.orgInstall ? enterprise.id : teamId,
    sim,
    ...(code !== undefined && { code }),
  };
}

export function createSlackTenants(now: () => number): SlackTenant[] {
  return [
    tenant(0, {}, undefined, now),
    tenant(1, {}, 'code-of-1', now),
    tenant(2, { enterprise: { id: 'E2ORG00000', name: 'Organisation', orgInstall: true } }, 'code-of-2', now),
  ];
}

/** The members of a channel, without the bot. */
export const membersIn = ({ sim }: SlackTenant, channel: string): readonly string[] =>
  (sim.state.channels.get(channel)?.members ?? []).filter((one) => one !== sim.identity.botUserId);

const channelIn = (all: readonly SlackTenant[], name: string, channel: string) =>
  all.find((one) => one.tenant === name)?.sim.state.channels.get(channel);

/** Whether everybody of a tenant may read a channel, as no one else does; undefined if it is none of Slack. */
export function isOpen(all: readonly SlackTenant[], name: string, channel: string): boolean | undefined {
  const isForAll = isPublic(all, name, channel);
  return isForAll && !isShared(all, name, channel);
}

/** Whether everybody of a tenant may read a channel; undefined if it is none of Slack. */
export const isPublic = (all: readonly SlackTenant[], name: string, channel: string): boolean | undefined =>
  all.some((one) => one.tenant === name) ? channelIn(all, name, channel)?.kind === 'channel' : undefined;

/** Whether people of other organizations read a channel. */
export const isShared = (all: readonly SlackTenant[], name: string, channel: string): boolean =>
  channelIn(all, name, channel)?.connected !== undefined;

/** Whether a person administers this tenant. A member of another organization never does, nor who administers one workspace of many. */
export function administers({ sim }: SlackTenant, user: string): boolean {
  const { users, enterprise } = sim.identity;
  const person = users.find((one) => one.id === user && one.teamId === undefined);
  return enterprise?.orgInstall ? person?.organizationRole !== undefined : person?.admin === true;
}
