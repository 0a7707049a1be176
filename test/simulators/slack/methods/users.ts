import { type Args, flag, optional, required, whole } from '../args.ts';
import { presentUser } from '../present.ts';
import type { Message } from '../state.ts';
import {
  type ApiSuccess,
  messageAt,
  writableChannel,
  record,
  RefusalError,
  type SimulatorContext,
} from '../context.ts';

/** The owner of this token: a workspace, or a whole organization. */
export function authTest(context: SimulatorContext): ApiSuccess {
  const { identity } = context;
  const org = identity.enterprise?.orgInstall ? identity.enterprise : undefined;
  return {
    ok: true,
    url: `https://${identity.teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.slack.com/`,
    team: org?.name ?? identity.teamName,
    user: identity.botName,
    team_id: org?.id ?? identity.teamId,
    user_id: identity.botUserId,
    bot_id: identity.botId,
    ...(identity.enterprise ? { enterprise_id: identity.enterprise.id } : {}),
    is_enterprise_install: org !== undefined,
  };
}

/** The bot of the app. Source: docs.slack.dev/reference/methods/bots.info. */
export function botsInfo({ identity }: SimulatorContext, args: Args): ApiSuccess {
  if (required(args, 'bot') !== identity.botId) throw new RefusalError('bot_not_found');
  const { botId: id, appId: app_id, botUserId: user_id, botName: name } = identity;
  return { ok: true, bot: { id, deleted: false, name, updated: 0, app_id, user_id, icons: {} } };
}

export function usersInfo(context: SimulatorContext, args: Args): ApiSuccess {
  const user = presentUser(context, required(args, 'user'), flag(args, 'include_locale'));
  if (!user) throw new RefusalError('user_not_found');
  return { ok: true, user };
}

/**
 * All users including the bot, in pages of at most 1,000; Slack recommends 200. See
 * docs.slack.dev/reference/methods/users.list.
 */
export function usersList(context: SimulatorContext, args: Args): ApiSuccess {
  const { identity } = context;
  if (identity.enterprise?.orgInstall && required(args, 'team_id') !== identity.teamId)
    throw new RefusalError('team_not_found');
  const ids = [...identity.users.map(({ id }) => id), identity.botUserId];
  const limit = whole(args, 'limit', 1, 1_000, 1_000);
  const cursor = optional(args, 'cursor');
  const from = cursor === undefined ? 0 : Number(/^user:(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (!(from <= ids.length)) throw new RefusalError('invalid_cursor');
  const members = ids.slice(from, from + limit).flatMap((id) => presentUser(context, id) ?? []);
  const next_cursor = from + limit < ids.length ? `user:${from + limit}` : '';
  return { ok: true, members, response_metadata: { next_cursor } };
}

/** A token of an organization must name one of its workspaces; that of one workspace need not. */
export function listGroups({ identity }: SimulatorContext, args: Args): ApiSuccess {
  const withUsers = flag(args, 'include_users');
  if (identity.enterprise?.orgInstall) {
    const team = optional(args, 'team_id');
    if (team === undefined) throw new RefusalError('missing_argument');
    if (team !== identity.teamId) throw new RefusalError('team_not_found');
  }
  const usergroups = (identity.groups ?? []).map(({ id, handle, users }) => ({
    id,
    team_id: identity.teamId,
    is_usergroup: true,
    name: handle,
    handle,
    ...(withUsers ? { users: [...users] } : {}),
  }));
  return { ok: true, usergroups };
}

export function addReaction(context: SimulatorContext, args: Args): ApiSuccess {
  return react(context, args, (users, me) => {
    if (users.includes(me)) throw new RefusalError('already_reacted');
    return [...users, me];
  });
}

export function removeReaction(context: SimulatorContext, args: Args): ApiSuccess {
  return react(context, args, (users, me) => {
    if (!users.includes(me)) throw new RefusalError('no_reaction');
    return users.filter((user) => user !== me);
  });
}

function react(
  context: SimulatorContext,
  args: Args,
  change: (users: string[], me: string) => string[],
): ApiSuccess {
  const name = required(args, 'name').replaceAll(':', '');
  if (!/^[a-z0-9_+'-]{1,100}$/.test(name)) throw new RefusalError('invalid_name');
  const channel = writableChannel(context, required(args, 'channel'));
  const message = messageAt(context, channel, required(args, 'timestamp'));
  const after = withReaction(message, name, (users) => change(users, context.identity.botUserId));
  record(context, { kind: 'message', message: after });
  return { ok: true };
}

/** The message with these users below one of its reactions. */
export function withReaction(message: Message, name: string, change: (users: string[]) => string[]): Message {
  const others = (message.reactions ?? []).filter((one) => one.name !== name);
  const users = change(message.reactions?.find((one) => one.name === name)?.users ?? []);
  return { ...message, reactions: users.length > 0 ? [...others, { name, users }] : others };
}
