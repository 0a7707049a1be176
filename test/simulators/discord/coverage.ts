/** How much of a part of Discord the simulator covers; unlisted parts are absent. */
export type Coverage = { readonly level: 'supported' | 'partly' | 'absent'; readonly note?: string };

const supported: Coverage = { level: 'supported' };
const partly = (note: string): Coverage => ({ level: 'partly', note });
const absent: Coverage = { level: 'absent' };

const webhook = partly('tokens of interactions alone; no webhooks of channels, no threads by thread_id');
const commands = partly('no permissions of commands');

/** Routes of the REST API. A test compares this table with the router. */
export const REST: Readonly<Record<string, Coverage>> = {
  'DELETE /applications/{application_id}/commands/{command_id}': commands,
  'DELETE /applications/{application_id}/guilds/{guild_id}/commands/{command_id}': commands,
  'DELETE /channels/{channel_id}': partly('deletes, with the right to manage threads alone'),
  'DELETE /channels/{channel_id}/messages/{message_id}': supported,
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me': supported,
  'DELETE /users/@me/guilds/{guild_id}': supported,
  'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original': webhook,
  'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': webhook,
  'GET /applications/@me': partly('the fields that bots read'),
  'GET /applications/{application_id}/commands': commands,
  'GET /applications/{application_id}/commands/{command_id}': commands,
  'GET /applications/{application_id}/guilds/{guild_id}/commands': commands,
  'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}': commands,
  'GET /channels/{channel_id}': partly('the fields that bots read; no topics or tags'),
  'GET /channels/{channel_id}/messages': supported,
  'GET /channels/{channel_id}/messages/{message_id}': supported,
  'GET /channels/{channel_id}/messages/pins': absent,
  'GET /channels/{channel_id}/threads/archived/public': absent,
  'GET /gateway': supported,
  'GET /gateway/bot': supported,
  'GET /guilds/{guild_id}': partly('the fields that bots read'),
  'GET /guilds/{guild_id}/channels': supported,
  'GET /guilds/{guild_id}/members/search': partly('no nicknames'),
  'GET /guilds/{guild_id}/members/{user_id}': partly('no nicknames'),
  'GET /guilds/{guild_id}/messages/search': partly(
    'by words, author type and channel; a guild is indexed after its first search; the rate limit, the refusal without the intent and that of a ' +
      'channel that the bot may not read are guesses, and so is that threads are found with their channel',
  ),
  'GET /guilds/{guild_id}/roles': partly('the fields that bots read'),
  'GET /guilds/{guild_id}/threads/active': supported,
  'GET /oauth2/applications/@me': partly('the fields that bots read'),
  'GET /users/@me': partly('the fields that bots read'),
  'GET /users/@me/guilds': partly('all at once'),
  'GET /users/{user_id}': partly('the fields that bots read'),
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/@original': webhook,
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': webhook,
  'PATCH /applications/@me': partly(
    'flags of intents, the URL for interactions and the settings of webhook events; also http URLs; the codes for a URL that is not verified ' +
      'are guesses, and so is that events need a URL',
  ),
  'PATCH /applications/{application_id}/commands/{command_id}': commands,
  'PATCH /applications/{application_id}/guilds/{guild_id}/commands/{command_id}': commands,
  'PATCH /channels/{channel_id}': partly('threads alone: name, archived, locked, time until archived'),
  'PATCH /channels/{channel_id}/messages/{message_id}': partly(
    'how many edits of messages older than an hour are taken is a guess',
  ),
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original': webhook,
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': webhook,
  'POST /applications/{application_id}/commands': commands,
  'POST /applications/{application_id}/guilds/{guild_id}/commands': commands,
  'POST /attachments/refresh-urls': absent,
  'POST /channels/{channel_id}/messages': partly(
    'no polls, stickers or forwards by the bot; that voice channels take Connect for writing too is what people report',
  ),
  'POST /channels/{channel_id}/messages/{message_id}/threads': partly(
    'that it takes Read Message History is a guess: the documentation names no permission',
  ),
  'POST /channels/{channel_id}/threads': partly('forums without tags'),
  'POST /channels/{channel_id}/typing': supported,
  'POST /interactions/{interaction_id}/{interaction_token}/callback': partly('no activities'),
  'POST /users/@me/channels': partly('with one person'),
  'POST /webhooks/{webhook_id}/{webhook_token}': webhook,
  'PUT /applications/{application_id}/commands': commands,
  'PUT /applications/{application_id}/guilds/{guild_id}/commands': commands,
  'PUT /channels/{channel_id}/messages/pins/{message_id}': absent,
  'PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me': supported,
  'PUT /channels/{channel_id}/thread-members/@me': partly('members of public threads are not kept'),
};

/** Rules that apply to many routes and events. */
export const RULES: Readonly<Record<string, Coverage>> = {
  'permissions of the bot': partly(
    'roles, overwrites, threads, implicit denials, time-outs; no hierarchy of roles, two-factor rule or stage rights',
  ),
  'permissions of people': partly('what everyone may, and the owner; roles tell who may administer'),
  'permissions for answers by an interaction': partly(
    'none is needed to write, attach files and embed links (discord-api-docs#5316); external emojis are not simulated',
  ),
  'heartbeats of the gateway': partly(
    'the code for a client that sends none is that of a session that timed out; how late one may be is a guess',
  ),
  'external emojis, stickers, text-to-speech, slow mode': absent,
  'channels that the bot may not see': partly('no events of them; obfuscated in GUILD_CREATE and CHANNEL_*'),
  'shards of the gateway': partly(
    'any number, by guild; that a session which is taken over ends the connection before with 4000 is a guess; no large-bot multiples',
  ),
  'chats between people': partly(
    'interactions of the app that a person has installed; the bot sees nothing else of them',
  ),
  'direct messages': partly('refused by who is closed (50007); not for want of a common guild (50278)'),
};
