/** A person of the simulated workspace. */
export type Person = {
  readonly id: string;
  /** What others type after `@`, lower case. */
  readonly name: string;
  readonly realName: string;
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
    'groups:history',
    'groups:read',
    'im:history',
    'im:read',
    'im:write',
    'reactions:write',
    'users:read',
  ],
  subscriptions: ['app_mention', 'message.channels', 'message.groups', 'message.im'],
  users: [
    { id: 'U0ADA00000', name: 'ada', realName: 'Ada Lovelace' },
    { id: 'U0GRACE000', name: 'grace', realName: 'Grace Hopper' },
  ],
};
