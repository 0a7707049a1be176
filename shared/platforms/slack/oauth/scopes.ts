/**
 * Which messages Slack sends. `mentions`: those that mention the app. `channels`: all in channels that it is a member of,
 * so that a reply in its threads needs no mention.
 */
export type ListenMode = 'mentions' | 'channels';

const ALWAYS = {
  scopes: [
    'app_mentions:read',
    'assistant:write',
    'canvases:write',
    'chat:write',
    'channels:history',
    'channels:read',
    'commands',
    'files:read',
    'files:write',
    'groups:history',
    'groups:read',
    'im:history',
    'mpim:history',
    'reactions:read',
    'reactions:write',
    'usergroups:read',
    'users:read',
  ],
  events: [
    'agent_session_stopped',
    'app_home_opened',
    'app_mention',
    'app_uninstalled',
    'channel_deleted',
    'group_deleted',
    'message.im',
    'message.mpim',
    'reaction_added',
  ],
} as const;

/** The scopes of the bot token. A test compares them with the methods and events in use. */
export const SCOPES: readonly string[] = ALWAYS.scopes;

/**
 * Those of them that whoever installs the app may refuse: the bot then does not offer what needs them. Source:
 * docs.slack.dev/changelog/2026/03/16/optional-scopes.
 */
export const OPTIONAL_SCOPES: readonly string[] = ['canvases:write'];

/**
 * What the search of messages needs besides: asked for only where it is wanted, as an administrator of the workspace has to allow it.
 * Source: docs.slack.dev/reference/methods/assistant.search.context.
 */
export const MESSAGE_SEARCH_SCOPE = 'search:read.public';

/** The events that the app subscribes to. An org-wide app also gets the removal from one workspace. */
export function listEvents(listening: ListenMode, orgWide = false): readonly string[] {
  const more = [
    ...(listening === 'channels' ? ['message.channels', 'message.groups'] : []),
    ...(orgWide ? ['team_access_revoked'] : []),
  ];
  return [...ALWAYS.events, ...more].toSorted((a, b) => (a < b ? -1 : 1));
}
