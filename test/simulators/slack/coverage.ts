/** How much of a part of Slack the simulator covers; unlisted parts are absent. */
export type Coverage = { readonly level: 'supported' | 'partly' | 'absent'; readonly note?: string };

const supported: Coverage = { level: 'supported' };
const partly = (note: string): Coverage => ({ level: 'partly', note });
const absent: Coverage = { level: 'absent' };

/** Methods of the Web API. A test compares this table with the router. */
export const METHODS: Readonly<Record<string, Coverage>> = {
  'agents.sessions.rename': absent,
  'agents.sessions.setStatus': partly(
    'icons, names and initiators are ignored; no session channels; a session is processing until it is told otherwise (people report ' +
      'an hour); that the last of this and assistant.threads.setStatus has the one place on the screen is reported, not documented',
  ),
  'assistant.search.context': partly(
    'messages by their words, without meaning, context and further pages; how long a token is valid, the longest query and the rate limit are ' +
      'guesses; nothing of channels that are shared with other companies',
  ),
  'assistant.threads.setStatus': partly(
    'icons and names are ignored; which error it answers after February 2027 is a guess',
  ),
  'assistant.threads.setSuggestedPrompts': absent,
  'assistant.threads.setTitle': absent,
  'auth.test': supported,
  'bots.info': partly('the bot of the app alone'),
  'canvases.access.set': partly(
    'reading only; which error it answers for direct and group messages is a guess',
  ),
  'canvases.create': partly(
    'no tabs of channels; which parts of Markdown it refuses is documented or reported in part, see canvas-content.ts',
  ),
  'canvases.delete': supported,
  'canvases.edit': partly('replaces the whole content'),
  'chat.appendStream': partly(
    'cards and blocks stand around the words, not between them; it holds 10,600 bytes of words and cards, the least that was ' +
      'measured; blocks and sources of cards are not counted',
  ),
  'chat.delete': supported,
  'chat.getPermalink': supported,
  'chat.postEphemeral': partly(
    'kept until reset; in a thread without replies nobody sees it, also after somebody replied',
  ),
  'chat.postMessage': partly(
    'no attachments, broadcasts, unfurls, icons or names; cards are not checked in depth; Markdown is counted in characters, as ' +
      'documented: whether Slack counts bytes there too is not known',
  ),
  'chat.startStream': partly(
    'icons, names and the way of showing tasks are accepted and not kept; that other arguments are refused is a guess; that others ' +
      'than who asked see what a stream in a channel began with until it is stopped, updated or sealed is reported, not documented',
  ),
  'chat.stopStream': supported,
  'chat.update': partly(
    'no attachments or broadcasts; that its 4,000 bytes of text count beside blocks too is a guess; that Markdown alone keeps the blocks of before follows from how the reference tells of them, and ' +
      'of words that stand in these blocks it shows both',
  ),
  'conversations.history': partly(
    'for an app outside of the Marketplace one call a minute, 15 messages; that a higher limit is lowered to 15 and not refused is a guess',
  ),
  'conversations.info': partly('the fields that bots read'),
  'conversations.members': partly('the largest page is a guess: Slack recommends 200'),
  'conversations.open': partly('no prevent_creation; group DMs are told apart by their members'),
  'conversations.replies': partly(
    'a stream is in_progress or completed, never errored; outside of the Marketplace as conversations.history',
  ),
  'files.completeUploadExternal': partly('into one channel or thread, shown at once'),
  'files.delete': partly('of the bot’s own files'),
  'files.getUploadURLExternal': partly('no alt_txt; a snippet is a file like any other'),
  'files.info': partly(
    'no comments or thumbnails; how long Slack takes to tell where a file is shared is a guess',
  ),
  'reactions.add': supported,
  'reactions.remove': supported,
  'usergroups.list': partly('without channels and history'),
  'users.info': partly('the fields that bots read'),
  'users.list': partly('the fields that bots read'),
  'views.open': partly('text inputs and menus can be filled in'),
  'views.publish': partly('no hash'),
  'views.push': supported,
  'views.update': partly('by view_id, not by external_id'),
};

/** Methods that need a token of the app rather than of a workspace. A test compares this table with the router. */
export const METHODS_OF_APPS: Readonly<Record<string, Coverage>> = {
  'apps.connections.open': partly(
    'sockets are not refreshed after some hours; what Slack answers while socket mode is off is not known',
  ),
  'apps.manifest.create': partly(
    'one app, with the ids and credentials that it has already; the parts of a manifest that Parley uses',
  ),
  'apps.manifest.update': partly('addresses are not called'),
  'apps.manifest.export': partly('which error it answers for an app of somebody else is a guess'),
};

const messages = partly('posted, with files, changed, deleted; no other subtypes');

/** Events by subscription name. A test compares this table with the emitted events. */
export const EVENTS: Readonly<Record<string, Coverage>> = {
  agent_session_stopped: supported,
  agent_session_title_changed: absent,
  app_home_opened: partly('of the Home tab, without the view'),
  app_mention: supported,
  app_rate_limited: absent,
  app_uninstalled: supported,
  team_access_granted: absent,
  team_access_revoked: partly('the bot can still read and write there'),
  channel_deleted: supported,
  file_shared: absent,
  group_deleted: supported,
  'message.channels': messages,
  'message.groups': messages,
  'message.im': messages,
  'message.mpim': messages,
  reaction_added: partly('of messages'),
  tokens_revoked: partly('of the bot'),
};

/** Other requests from Slack to the app, and downloads of the app; maintained by hand. */
export const ELSEWHERE: Readonly<Record<string, Coverage>> = {
  'block_actions: buttons, icon buttons, feedback buttons': supported,
  'block_actions: menus': partly('static_select; confirmations are not asked'),
  'block_actions: pickers, inputs': absent,
  'files behind the token': partly(
    'from one host, or from a second one behind a redirect that asks for the token again or is signed, as told; signed ' +
      'addresses do not run out; the login page comes with status 200, never as a redirect; no thumbnails',
  ),
  'the manifest of the app': partly(
    'its shortcuts: how many of each type, their names and descriptions; events and scopes are told apart from it, and nothing else of it is read',
  ),
  message_action: supported,
  response_url: partly(
    'text and blocks, for one or for all, in place of the message, or deleting it; that it takes Markdown blocks is a guess, ' +
      'and can be switched off: incoming webhooks answer them with an empty 500',
  ),
  'oauth.v2.access, and the page before it': partly('bot tokens; no user tokens, no incoming webhooks'),
  'slash commands': supported,
  view_closed: supported,
  view_submission: partly(
    'a view that is taken closes; response_action is not read; which organization Slack names to one with the app of a person of ' +
      'another company is a guess',
  ),
};
