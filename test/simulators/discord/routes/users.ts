import { CHANNEL } from '../flags.ts';
import { stringOf } from '../json.ts';
import { mayView, rolesOf } from '../permissions.ts';
import { presentGuild, presentPartialGuild } from '../present-guild.ts';
import { presentChannel, presentMember, presentRole, presentUser } from '../present.ts';
import { record } from '../record.ts';
import { RefusalError } from '../refusal.ts';
import { bot, ok, type Routes } from '../route.ts';
import type { Channel, Guild, User } from '../state.ts';
import { userOf, type SimulatorContext } from '../context.ts';

export const USERS: Routes = {
  'GET /users/@me': bot(5, 1_000, ({ context }) => {
    const ownFields = { mfa_enabled: true, locale: 'en-US', verified: true, email: null };
    return ok({ ...presentUser(context, context.identity.applicationId), ...ownFields });
  }),
  'GET /users/{user_id}': bot(5, 1_000, ({ context, at }) =>
    ok(presentUser(context, userOf(context, at('user_id')).id)),
  ),
  'GET /users/@me/guilds': bot(1, 1_000, ({ context }) =>
    ok([...context.state.guilds.values()].filter(({ installed }) => installed).map(presentPartialGuild)),
  ),
  'POST /users/@me/channels': bot(5, 5_000, ({ context, body }) =>
    ok(
      presentChannel(
        context,
        directChannel(context, recipientOf(context, stringOf(body.json['recipient_id'])).id),
      ),
    ),
  ),
  'DELETE /users/@me/guilds/{guild_id}': bot(5, 5_000, ({ context, at }) => {
    record(context, { kind: 'guild', guild: { ...guildOf(context, at('guild_id')), installed: false } });
    return { status: 204 };
  }),
  'GET /guilds/{guild_id}': bot(5, 1_000, ({ context, at }) =>
    ok(presentGuild(context, guildOf(context, at('guild_id')))),
  ),
  'GET /guilds/{guild_id}/channels': bot(5, 1_000, ({ context, at }) => {
    const guild = guildOf(context, at('guild_id'));
    const channels = [...context.state.channels.values()];
    const own = channels
      .filter((one) => one.guild === guild.id && one.parent === undefined)
      .filter((one) => mayView(context, one));
    return ok(own.map((one) => presentChannel(context, one)));
  }),
  'GET /guilds/{guild_id}/roles': bot(5, 1_000, ({ context, at }) =>
    ok(rolesOf(context, guildOf(context, at('guild_id'))).map(presentRole)),
  ),
  'GET /guilds/{guild_id}/members/search': bot(5, 1_000, ({ context, at, query }) => {
    const guild = guildOf(context, at('guild_id'));
    const prefix = (query.get('query') ?? '').toLowerCase();
    const memberIds = guild.members.filter((id) => {
      const user = context.state.users.get(id);
      return [user?.username, user?.name].some((name) => name?.toLowerCase().startsWith(prefix));
    });
    const limit = Number(query.get('limit') ?? 1);
    return ok(
      memberIds
        .slice(0, limit)
        .map((id) => ({ ...presentMember(context, guild.id, id), user: presentUser(context, id) })),
    );
  }),
  'GET /guilds/{guild_id}/members/{user_id}': bot(5, 1_000, ({ context, at }) => {
    const guild = guildOf(context, at('guild_id'));
    const id = at('user_id');
    if (!guild.members.includes(id) && id !== context.identity.applicationId) throw new RefusalError(10007);
    return ok({ ...presentMember(context, guild.id, id), user: presentUser(context, id) });
  }),
  'GET /gateway': {
    auth: 'none',
    limit: { calls: 5, ms: 5_000 },
    run: ({ context }) => ok({ url: context.gateway.url }),
  },
  'GET /gateway/bot': bot(2, 5_000, ({ context }) => {
    const { url, total, remaining, resetAt, shards, maxConcurrency: max_concurrency } = context.gateway;
    const reset_after = Math.max(0, resetAt - context.now());
    return ok({ url, shards, session_start_limit: { total, remaining, reset_after, max_concurrency } });
  }),
};

/** Bots have no chats with each other, nor with themselves. */
function recipientOf(context: SimulatorContext, id: string): User {
  const user = userOf(context, id);
  if (user.bot === true) throw new RefusalError(50007);
  return user;
}

export function guildOf({ state }: SimulatorContext, id: string): Guild {
  const guild = state.guilds.get(id);
  if (!guild) throw new RefusalError(10004);
  if (!guild.installed) throw new RefusalError(50001);
  return guild;
}

/** The DM between the bot and a person; created if missing. */
export function directChannel(context: SimulatorContext, user: string): Channel {
  for (const channel of context.state.channels.values())
    if (channel.type === CHANNEL.dm && channel.recipient === user) return channel;
  const channel: Channel = { id: context.ids.next(), type: CHANNEL.dm, name: '', recipient: user };
  record(context, { kind: 'channel', channel });
  return channel;
}
