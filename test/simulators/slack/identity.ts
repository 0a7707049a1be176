/** A person of the simulated workspace. */
export type Person = {
  readonly id: string;
  /** What others type after `@`, lower case. */
  readonly name: string;
  readonly realName: string;
  /** Administers the workspace. */
  readonly admin?: boolean;
  /** Their role in the organization of the workspace, if it has one. Those who only administer a workspace have none. */
  readonly organizationRole?: 'admin' | 'owner';
  /** The workspace of a person of another organization in shared channels (Slack Connect). */
  readonly teamId?: string;
  /** The organization of that workspace, if it has one. */
  readonly organizationId?: string;
  /** As in `users.info`; London and British English by default. */
  readonly tz?: string;
  /** Seconds east of Greenwich. */
  readonly tzOffset?: number;
  readonly locale?: string;
  /** Their account is deactivated: they can no longer sign in. */
  readonly deactivated?: boolean;
};

/** The fixed identity of the workspace. Ids have Slack's form. */
export type Identity = {
  readonly teamId: string;
  readonly teamName: string;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly botName: string;
  readonly botToken: string;
  /** The scopes of the bot token, for `missing_scope`. */
  readonly scopes: readonly string[];
  /** The app's event subscriptions, as in its manifest. */
  readonly subscriptions: readonly string[];
  readonly users: readonly Person[];
  /** The app's message shortcuts, as in its manifest: see `appOf`. Without it, any shortcut exists. */
  readonly shortcuts?: readonly { readonly name: string; readonly callback_id: string }[];
  /** The app's commands with their slash, as in its manifest: see `appOf`. Without it, any command exists. */
  readonly commands?: readonly string[];
  /** `should_escape` of the app's commands, as in its manifest: true by default. */
  readonly commandsEscaped?: boolean;
  /**
   * The status APIs that this workspace refuses, with their errors: of an app that is not an agent
   * (`not_authorized`), or after Slack has removed the old API (`method_deprecated`, `unknown_method`). None by
   * default.
   */
  readonly refusedApis?: Readonly<Partial<Record<'agents.sessions' | 'assistant.threads', string>>>;
  /** The canvases of the plan: all, only tabs of channels (free), none. All by default. */
  readonly canvases?: 'all' | 'tabs' | 'off';
  /** User groups with their members' ids. */
  readonly groups?: readonly {
    readonly id: string;
    readonly handle: string;
    readonly users: readonly string[];
  }[];
  /**
   * The organization of the workspace; `orgInstall`: the app is installed organization-wide. `firstInstall`: the workspace of the
   * organization that installed the app before this one, which views then name (slackapi/bolt-python#1229).
   */
  readonly enterprise?: {
    readonly id: string;
    readonly name: string;
    readonly orgInstall: boolean;
    readonly firstInstall?: string;
  };
};

export const DEFAULT_IDENTITY: Identity = {
  teamId: 'T0PARLEY00',
  teamName: 'Parley Works',
  appId: 'A0PARLEY00',
  botId: 'B0PARLEY00',
  botUserId: 'U0PARLEY00',
  botName: 'parley',
  botToken: 'xoxb-simulated',
  scopes: [
    'app_mentions:read',
    'assistant:write',
    'canvases:write',
    'channels:history',
    'channels:read',
    'chat:write',
    'commands',
    'files:read',
    'files:write',
    'groups:history',
    'groups:read',
    'im:history',
    'im:read',
    'im:write',
    'mpim:history',
    'mpim:read',
    'mpim:write',
    'reactions:read',
    'reactions:write',
    'search:read.public',
    'usergroups:read',
    'users:read',
  ],
  subscriptions: [
    'agent_session_stopped',
    'app_home_opened',
    'app_mention',
    'app_uninstalled',
    'channel_deleted',
    'group_deleted',
    'message.channels',
    'message.groups',
    'message.im',
    'message.mpim',
    'reaction_added',
  ],
  users: [
    { id: 'U0ADA00000', name: 'ada', realName: 'Ada Lovelace', admin: true },
    { id: 'U0GRACE000', name: 'grace', realName: 'Grace Hopper' },
  ],
};

/**
 * The identity of the nth workspace with the same app: ids of people, bot and team differ from those of every other,
 * as in Slack. The first (0) is the one above.
 */
export function identityOf(nth: number): Identity {
  if (nth === 0) return DEFAULT_IDENTITY;
  const apart = (id: string): string => nthId(id, nth);
  return {
    ...DEFAULT_IDENTITY,
    teamId: apart(DEFAULT_IDENTITY.teamId),
    teamName: `Parley Works ${nth + 1}`,
    botId: apart(DEFAULT_IDENTITY.botId),
    botUserId: apart(DEFAULT_IDENTITY.botUserId),
    botToken: `${DEFAULT_IDENTITY.botToken}-${nth}`,
    users: DEFAULT_IDENTITY.users.map((user) => ({ ...user, id: apart(user.id) })),
  };
}

/** `C0GENERAL0` becomes `C2GENERAL0` in the third workspace. */
export const nthId = (id: string, nth: number): string => `${id.slice(0, 1)}${nth}${id.slice(2)}`;

/** The person with this id. */
export const personOf = ({ users }: Identity, id: string): Person | undefined =>
  users.find((user) => user.id === id);

/** The organization of a person, or of the bot. */
export function organizationOf(identity: Identity, id: string): string | undefined {
  const person = personOf(identity, id);
  return person?.teamId === undefined ? identity.enterprise?.id : person.organizationId;
}

/** The workspace of a person, or of the bot. */
export const teamOf = (identity: Identity, id: string): string =>
  personOf(identity, id)?.teamId ?? identity.teamId;
