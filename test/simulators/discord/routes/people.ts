import { CHANNEL } from '../flags.ts';
import { stringOf } from '../json.ts';
import { mayView, rolesOf } from '../permissions.ts';
import { presentGuild, presentPartialGuild } from '../present-guild.ts';
import { presentChannel, presentMember, presentRole, presentUser } from '../present.ts';
import { record } from '../record.ts';
import { Refusal } from '../refusal.ts';
import { bot, ok, type Routes } from '../route.ts';
import type { Channel, Guild } from '../state.ts';
import { userOf, type World } from '../world.ts';

export const PEOPLE: Routes = {
  'GET /users/@me': bot(5, 1_000, ({ world }) => {
    const ownFields = { mfa_enabled: true, locale: 'en-US', verified: true, email: null };
    return ok({ ...presentUser(world, world.identity.applicationId), ...ownFields });
  }),
  'GET /users/{user_id}': bot(5, 1_000, ({ world, at }) =>
    ok(presentUser(world, userOf(world, at('user_id')).id)),
  ),
  'GET /users/@me/guilds': bot(1, 1_000, ({ world }) =>
    ok([...world.state.guilds.values()].filter(({ installed }) => installed).map(presentPartialGuild)),
  ),
  'POST /users/@me/channels': bot(5, 5_000, ({ world, body }) =>
    ok(presentChannel(world, directChannel(world, userOf(world, stringOf(body.json['recipient_id'])).id))),
  ),
  'DELETE /users/@me/guilds/{guild_id}': bot(5, 5_000, ({ world, at }) => {
    record(world, { kind: 'guild', guild: { ...guildOf(world, at('guild_id')), installed: false } });
    return { status: 204 };
  }),
  'GET /guilds/{guild_id}': bot(5, 1_000, ({ world, at }) =>
    ok(presentGuild(world, guildOf(world, at('guild_id')))),
  ),
  'GET /guilds/{guild_id}/channels': bot(5, 1_000, ({ world, at }) => {
    const guild = guildOf(world, at('guild_id'));
    const channels = [...world.state.channels.values()];
    const own = channels
      .filter((one) => one.guild === guild.id && one.parent === undefined)
      .filter((one) => mayView(world, one));
    return ok(own.map((one) => presentChannel(world, one)));
  }),
  'GET /guilds/{guild_id}/roles': bot(5, 1_000, ({ world, at }) =>
    ok(rolesOf(world, guildOf(world, at('guild_id'))).map(presentRole)),
  ),
  'GET /guilds/{guild_id}/members/search': bot(5, 1_000, ({ world, at, query }) => {
    const guild = guildOf(world, at('guild_id'));
    const wanted = (query.get('query') ?? '').toLowerCase();
    const named = guild.members.filter((id) => {
      const user = world.state.users.get(id);
      return [user?.username, user?.name].some((name) => name?.toLowerCase().startsWith(wanted));
    });
    const most = Number(query.get('limit') ?? 1);
    return ok(
      named
        .slice(0, most)
        .map((id) => ({ ...presentMember(world, guild.id, id), user: presentUser(world, id) })),
    );
  }),
  'GET /guilds/{guild_id}/members/{user_id}': bot(5, 1_000, ({ world, at }) => {
    const guild = guildOf(world, at('guild_id'));
    const id = at('user_id');
    if (!guild.members.includes(id) && id !== world.identity.applicationId) throw new Refusal(10007);
    return ok({ ...presentMember(world, guild.id, id), user: presentUser(world, id) });
  }),
  'GET /gateway': {
    auth: 'none',
    limit: { calls: 5, ms: 5_000 },
    run: ({ world }) => ok({ url: world.gateway.url }),
  },
  'GET /gateway/bot': bot(2, 5_000, ({ world }) => {
    const { url, total, remaining, resetAt, shards, maxConcurrency: max_concurrency } = world.gateway;
    const reset_after = Math.max(0, resetAt - world.now());
    return ok({ url, shards, session_start_limit: { total, remaining, reset_after, max_concurrency } });
  }),
};

function guildOf({ state }: World, id: string): Guild {
  const guild = state.guilds.get(id);
  if (!guild) throw new Refusal(10004);
  if (!guild.installed) throw new Refusal(50001);
  return guild;
}

/** The DM between the bot and a person; made when it is not there. */
export function directChannel(world: World, user: string): Channel {
  for (const channel of world.state.channels.values())
    if (channel.type === CHANNEL.dm && channel.recipient === user) return channel;
  const channel: Channel = { id: world.ids.next(), type: CHANNEL.dm, name: '', recipient: user };
  record(world, { kind: 'channel', channel });
  return channel;
}
