import * as z from 'zod/mini';
import type { Channel } from './state.ts';
import { record, type World } from './world.ts';

const posted = z.object({
  event: z.object({
    type: z.enum(['app_mention', 'message']),
    channel: z.string(),
    ts: z.string(),
    user: z.string(),
    text: z.optional(z.string()),
    thread_ts: z.optional(z.string()),
    channel_type: z.optional(z.enum(['channel', 'group', 'im', 'mpim'])),
    subtype: z.optional(z.enum(['file_share', 'thread_broadcast', 'me_message'])),
  }),
});

/**
 * Takes over the message that an event tells of, if it is not known: an event made by someone else, and signed, is of a
 * message that nobody typed here. Its thread then exists, to be answered in and read. Anything else is ignored.
 */
export function learn(world: World, envelope: unknown): void {
  const parsed = posted.safeParse(envelope);
  if (!parsed.success) return;
  const { channel: id, ts, user, text = '', thread_ts: thread, channel_type: kind } = parsed.data.event;
  if (world.state.messages.get(id)?.has(ts)) return;
  if (!world.state.channels.has(id))
    record(world, { kind: 'channel', channel: channelOf(world, id, user, kind) });
  const root = thread === undefined || thread === ts ? undefined : thread;
  if (root !== undefined && !world.state.messages.get(id)?.has(root)) {
    record(world, { kind: 'message', message: { channel: id, ts: root, user, text: '' } });
  }
  const inThread = root === undefined ? {} : { thread: root };
  record(world, { kind: 'message', message: { channel: id, ts, user, text, ...inThread } });
}

const KINDS: Readonly<Record<string, Channel['kind']>> = { D: 'im', G: 'group' };

function channelOf({ identity }: World, id: string, user: string, told?: Channel['kind']): Channel {
  const kind = told ?? KINDS[id.slice(0, 1)] ?? 'channel';
  return { id, name: id.toLowerCase(), kind, members: [user, identity.botUserId] };
}
