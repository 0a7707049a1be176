/** How much of a part of Slack the simulator plays; what is not named here is absent. */
export type Coverage = { readonly level: 'supported' | 'partly' | 'absent'; readonly note?: string };

const supported: Coverage = { level: 'supported' };
const partly = (note: string): Coverage => ({ level: 'partly', note });
const absent: Coverage = { level: 'absent' };

/** Methods of the Web API. A test holds this table against what is routed. */
export const METHODS: Readonly<Record<string, Coverage>> = {
  'agents.sessions.rename': absent,
  'agents.sessions.setStatus': absent,
  'apps.connections.open': absent,
  'assistant.threads.setStatus': partly('icons and names are ignored'),
  'assistant.threads.setSuggestedPrompts': absent,
  'assistant.threads.setTitle': absent,
  'auth.test': supported,
  'chat.appendStream': partly('plan titles are accepted and not kept'),
  'chat.delete': supported,
  'chat.postEphemeral': partly('kept until reset'),
  'chat.postMessage': partly(
    'no attachments, broadcasts, unfurls, icons or names; tables and rich text are not checked in depth',
  ),
  'chat.startStream': partly('plan titles, icons and names are accepted and not kept'),
  'chat.stopStream': partly('session_status is ignored'),
  'chat.update': partly('no attachments, broadcasts or files'),
  'conversations.history': supported,
  'conversations.info': partly('the fields that bots read'),
  'conversations.open': partly('DMs with one person'),
  'conversations.replies': supported,
  'files.completeUploadExternal': absent,
  'files.getUploadURLExternal': absent,
  'files.info': absent,
  'oauth.v2.access': absent,
  'reactions.add': supported,
  'reactions.remove': supported,
  'users.info': partly('the fields that bots read'),
  'views.open': absent,
};

/** Events, by the name that an app subscribes to. A test holds this table against what is emitted. */
export const EVENTS: Readonly<Record<string, Coverage>> = {
  agent_session_stopped: absent,
  app_home_opened: absent,
  app_mention: supported,
  app_rate_limited: absent,
  app_uninstalled: absent,
  'message.channels': partly('posted, changed, deleted; no other subtypes'),
  'message.groups': partly('posted, changed, deleted; no other subtypes'),
  'message.im': partly('posted, changed, deleted; no other subtypes'),
  'message.mpim': absent,
  reaction_added: absent,
  tokens_revoked: absent,
};
