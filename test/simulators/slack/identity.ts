/** A person of the simulated workspace. */
export type Person = {
  readonly id: string;
  /** What others type after `@`, lower case. */
  readonly name: string;
  readonly realName: string;
  /** Administers the workspace. */
  readonly admin?: boolean;
  /** The workspace of someone from another company, in channels shared with it (Slack Connect). */
  readonly teamId?: string;
  /** As in `users.info`; London and British English unless told. */
  readonly tz?: string;
  /** Seconds east of Greenwich. */
  readonly tzOffset?: number;
  readonly locale?: string;
};

/** Who and what the workspace is: fixed for its life. Ids look like Slack's. */
export type Identity = {
  readonly teamId: string;
  readonly teamName: string;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly botName: string;
  readonly botToken: string;
  /** What the bot token may do: decides `missing_scope`. */
  readonly scopes: readonly string[];
  /** Event types that the app is subscribed to, as in its manifest. */
  readonly subscriptions: readonly string[];
  readonly users: readonly Person[];
  /** What the app has in the menu of a message, as in its manifest: see `appOf`. Without it, whatever it is asked for. */
  readonly shortcuts?: readonly { readonly name: string; readonly callback_id: string }[];
  /** `should_escape` of the app's commands, as in its manifest: true unless told. */
  readonly commandsEscaped?: boolean;
  /**
   * The APIs for what is shown of the app's work that this workspace refuses, each with the error that it answers: what an app reads
   * that is no agent (`not_authorized`), or after Slack has ended the old API (`method_deprecated`, `unknown_method`). None unless told.
   */
  readonly refusedApis?: Readonly<Partial<Record<'agents.sessions' | 'assistant.threads', string>>>;
  /** User groups, with the ids of who is in them. */
  readonly groups?: readonly {
    readonly id: string;
    readonly handle: string;
    readonly users: readonly string[];
  }[];
  /** The organisation that the workspace belongs to; `orgInstall`: the app is installed for all of it at once. */
  readonly enterprise?: { readonly id: string; readonly name: string; readonly orgInstall: boolean };
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
    'usergroups:read',
    'users:read',
  ],
  subscriptions: [
    'agent_session_stopped',
    'app_home_opened',
    'app_mention',
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
 * The identity of the nth workspace with the same app installed: ids of people, bot and team differ from those of every
 * other, as they do in Slack. The first (0) is the one above.
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

/** `C0GENERAL0` of the third workspace is `C2GENERAL0`. */
export const nthId = (id: string, nth: number): string => `${id.slice(0, 1)}${nth}${id.slice(2)}`;

/** The person with this id. */
export const personOf = ({ users }: Identity, id: string): Person | undefined =>
  users.find((user) => user.id === id);

/** The workspace that a person, or the bot, belongs to. */
export const teamOf = (identity: Identity, id: string): string =>
  personOf(identity, id)?.teamId ?? identity.teamId;
