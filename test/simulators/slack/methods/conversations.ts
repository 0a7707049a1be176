import { type Args, flag, optional, required, whole } from '../args.ts';
import { presentChannel, presentMessage } from '../present.ts';
import { personOf } from '../identity.ts';
import { type Channel, type Message, repliesTo } from '../state.ts';
import { hashOf, tickOf } from '../ticks.ts';
import { OUTSIDE_MARKETPLACE } from '../tiers.ts';
import {
  type ApiSuccess,
  channelOf,
  messageAt,
  ownChannel,
  record,
  RefusalError,
  type SimulatorContext,
} from '../context.ts';

/** The scope that reads the messages of each type of channel. */
const HISTORY_SCOPES = {
  channel: 'channels:history',
  group: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
} as const;

/** A channel of the bot whose messages it may read. */
function readableChannel(context: SimulatorContext, args: Args): Channel {
  const channel = ownChannel(context, required(args, 'channel'));
  checkScope(context, HISTORY_SCOPES[channel.kind]);
  return channel;
}

function checkScope({ identity: { scopes } }: SimulatorContext, needed: string): void {
  if (!scopes.includes(needed))
    throw new RefusalError('missing_scope', { needed, provided: scopes.join(',') });
}

/**
 * A thread: its replies, oldest first, in pages of at most 1,000, each of which begins with the root. Source: the reader of threads in
 * rusq/slackdump (`thread.go`), which removes it from all pages but the first.
 */
export function replies(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = readableChannel(context, args);
  const root = messageAt(context, channel, required(args, 'ts'), 'thread_not_found');
  const range = rangeOf(args);
  const rest = repliesTo(context.state, channel.id, root.ts).filter((message) => range(message.ts));
  const page = pageOf(context, args, [root, ...rest], { maxMessages: 1_000, otherwise: 1_000 });
  const messages = page.messages[0] === root ? page.messages : [root, ...page.messages];
  return answer(context, args, { ...page, messages });
}

/** The messages of the channel itself, newest first, in pages of at most 999 (100 by default). */
export function history(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = readableChannel(context, args);
  const range = rangeOf(args);
  const inChannel = [...(context.state.messages.get(channel.id)?.values() ?? [])];
  const top = inChannel.filter(
    (one) => one.thread === undefined && one.ephemeralTo === undefined && range(one.ts),
  );
  const page = pageOf(context, args, top.toReversed(), { maxMessages: 999, otherwise: 100 });
  return { ...answer(context, args, page), pin_count: 0 };
}

/** The scope that reads each type of channel. */
const READ_SCOPES = {
  channel: 'channels:read',
  group: 'groups:read',
  im: 'im:read',
  mpim: 'mpim:read',
} as const;

/** A channel that the bot may read about. Private channels without the bot are unknown to it. */
function visibleChannel(context: SimulatorContext, args: Args): Channel {
  const channel = channelOf(context, required(args, 'channel'));
  checkScope(context, READ_SCOPES[channel.kind]);
  return channel.kind === 'channel' ? channel : ownChannel(context, channel.id);
}

/** The data of a channel. */
export const info = (context: SimulatorContext, args: Args): ApiSuccess => ({
  ok: true,
  channel: presentChannel(context, visibleChannel(context, args)),
});

/** The ids of the members of a channel, the bot among them, in pages of at most 1,000 (100 by default). */
export function members(context: SimulatorContext, args: Args): ApiSuccess {
  const { members: all } = visibleChannel(context, args);
  const limit = Number(optional(args, 'limit') ?? 100);
  if (!(limit >= 1 && limit <= 1_000)) throw new RefusalError('invalid_limit');
  const cursor = optional(args, 'cursor');
  const from = cursor === undefined ? 0 : Number(/^member:(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (!(from <= all.length)) throw new RefusalError('invalid_cursor');
  const next_cursor = from + limit < all.length ? `member:${from + limit}` : '';
  return { ok: true, members: all.slice(from, from + limit), response_metadata: { next_cursor } };
}

/** Finds or opens the DM with one person, or the group DM with up to eight. */
export function open(context: SimulatorContext, args: Args): ApiSuccess {
  const channelName = optional(args, 'channel');
  if (channelName !== undefined)
    return { ok: true, channel: presentChannel(context, ownChannel(context, channelName)) };
  const users = [...new Set(required(args, 'users').split(','))];
  if (users.length > 8) throw new RefusalError('too_many_users');
  for (const user of users) if (!personOf(context.identity, user)) throw new RefusalError('user_not_found');
  const [first = ''] = users;
  const channel = users.length === 1 ? directChannel(context, first) : groupChannel(context, users);
  const existing = [...context.state.channels.values()].find(
    (one) => one.kind === channel.kind && same(one.members, channel.members),
  );
  if (existing) return { ok: true, already_open: true, channel: presentChannel(context, existing) };
  record(context, { kind: 'channel', channel });
  return { ok: true, channel: presentChannel(context, channel) };
}

const same = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one));

/** The DM between the bot and this person. */
export function directChannel(context: Pick<SimulatorContext, 'identity'>, user: string): Channel {
  return { id: `D${user.slice(1)}`, name: user, kind: 'im', members: [user, context.identity.botUserId] };
}

/** The group DM of the bot and these people. Its id begins as those of channels do. */
export function groupChannel(
  { identity }: Pick<SimulatorContext, 'identity'>,
  users: readonly string[],
): Channel {
  const names = users.map((user) => personOf(identity, user)?.name ?? user);
  return {
    id: `C${hashOf(users.toSorted().join(), 9)}`,
    name: `mpdm-${[...names, identity.botName].join('--')}-1`,
    kind: 'mpim',
    members: [...users, identity.botUserId],
  };
}

function rangeOf(args: Args): (ts: string) => boolean {
  const oldest = bound(args, 'oldest', 'invalid_ts_oldest');
  const latest = bound(args, 'latest', 'invalid_ts_latest');
  const inclusive = flag(args, 'inclusive');
  return (ts) => {
    const at = tickOf(ts);
    if (oldest !== undefined && (inclusive ? at < oldest : at <= oldest)) return false;
    return latest === undefined || (inclusive ? at <= latest : at < latest);
  };
}

/** A bound in microseconds; Slack accepts `0`, whole seconds and full timestamps. */
function bound(args: Args, name: string, code: string): number | undefined {
  const value = optional(args, name);
  if (value === undefined) return undefined;
  const parts = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(value);
  if (!parts) throw new RefusalError(code);
  return Number(parts[1]) * 1_000_000 + Number((parts[2] ?? '').padEnd(6, '0'));
}

type Page = { messages: Message[]; next?: string };

/** A cursor is the first message of the next page. */
function pageOf(
  { options }: SimulatorContext,
  args: Args,
  all: Message[],
  size: { readonly maxMessages: number; readonly otherwise: number },
): Page {
  const maxMessages = options.distribution === 'internal' ? size.maxMessages : OUTSIDE_MARKETPLACE.messages;
  const limit = whole(args, 'limit', 1, maxMessages, Math.min(maxMessages, size.otherwise));
  const cursor = optional(args, 'cursor');
  let from = 0;
  if (cursor !== undefined) {
    const ts = /^next_ts:(.+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1];
    from = all.findIndex((message) => message.ts === ts);
    if (from < 0) throw new RefusalError('invalid_cursor');
  }
  const next = all[from + limit];
  const messages = all.slice(from, from + limit);
  return next ? { messages, next: Buffer.from(`next_ts:${next.ts}`).toString('base64') } : { messages };
}

function answer(context: SimulatorContext, args: Args, page: Page): ApiSuccess {
  const metadata = flag(args, 'include_all_metadata');
  return {
    ok: true,
    messages: page.messages.map((message) => presentMessage(context, message, metadata)),
    has_more: page.next !== undefined,
    ...(page.next === undefined ? {} : { response_metadata: { next_cursor: page.next } }),
  };
}
