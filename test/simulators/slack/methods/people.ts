import { type Args, required } from '../args.ts';
import { presentUser } from '../present.ts';
import { type Accepted, messageAt, ownChannel, record, Refusal, type World } from '../world.ts';

/** Whose token this is. */
export function authTest(world: World): Accepted {
  const { identity } = world;
  return {
    ok: true,
    url: `https://${identity.teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.slack.com/`,
    team: identity.teamName,
    user: identity.botName,
    team_id: identity.teamId,
    user_id: identity.botUserId,
    bot_id: identity.botId,
    is_enterprise_install: false,
  };
}

export function usersInfo(world: World, args: Args): Accepted {
  const user = presentUser(world, required(args, 'user'));
  if (!user) throw new Refusal('user_not_found');
  return { ok: true, user };
}

export function addReaction(world: World, args: Args): Accepted {
  return react(world, args, (users, me) => {
    if (users.includes(me)) throw new Refusal('already_reacted');
    return [...users, me];
  });
}

export function removeReaction(world: World, args: Args): Accepted {
  return react(world, args, (users, me) => {
    if (!users.includes(me)) throw new Refusal('no_reaction');
    return users.filter((user) => user !== me);
  });
}

function react(world: World, args: Args, change: (users: string[], me: string) => string[]): Accepted {
  const name = required(args, 'name').replaceAll(':', '');
  if (!/^[a-z0-9_+'-]{1,100}$/.test(name)) throw new Refusal('invalid_name');
  const channel = ownChannel(world, required(args, 'channel'));
  const message = messageAt(world, channel, required(args, 'timestamp'));
  const others = (message.reactions ?? []).filter((one) => one.name !== name);
  const users = message.reactions?.find((one) => one.name === name)?.users ?? [];
  const after = change(users, world.identity.botUserId);
  const reactions = after.length > 0 ? [...others, { name, users: after }] : others;
  record(world, { kind: 'message', message: { ...message, reactions } });
  return { ok: true };
}
