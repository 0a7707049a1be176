/**
 * How much of a workspace the app hears. `mentions`: what is said to it. `channels`: all that is said where it is a
 * member, so that a follow-up in its threads needs no mention.
 */
export type ListenMode = 'mentions' | 'channels';

const ALWAYS = {
  scopes: [
    'app_mentions:read',
    'assistant:write',
    'chat:write',
    'channels:history',
    'commands',
    'files:read',
    'files:write',
    'groups:history',
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
    'message.im',
    'message.mpim',
    'reaction_added',
    'tokens_revoked',
  ],
} as const;

/** What a bot token may do, each because of a method or an event in use; a test compares them. */
export const SCOPES: readonly string[] = ALWAYS.scopes;

/** What Slack tells the app of; of one that a whole organisation may have, also when a workspace of it loses it. */
export function eventsFor(listening: ListenMode, orgWide = false): readonly string[] {
  const more = [
    ...(listening === 'channels' ? ['message.channels', 'message.groups'] : []),
    ...(orgWide ? ['team_access_revoked'] : []),
  ];
  return [...ALWAYS.events, ...more].toSorted((a, b) => (a < b ? -1 : 1));
}
