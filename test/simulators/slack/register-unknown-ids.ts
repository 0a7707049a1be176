import * as v from 'valibot';
import type { Channel } from './state.ts';
import { record, type SimulatorContext } from './context.ts';

/** A placeholder timestamp (`TIMESTAMP`) would break the order of the workspace's own. */
const ts = v.pipe(v.string(), v.regex(/^\d{1,12}\.\d{6}$/));
const id = v.pipe(v.string(), v.regex(/^[\w.-]{1,24}$/));

const posted = v.object({
  event: v.object({
    type: v.picklist(['app_mention', 'message']),
    channel: id,
    ts,
    user: id,
    text: v.optional(v.string()),
    thread_ts: v.optional(ts),
    channel_type: v.optional(v.picklist(['channel', 'group', 'im', 'mpim'])),
    subtype: v.optional(v.picklist(['file_share', 'thread_broadcast', 'me_message'])),
  }),
});

/**
 * Records the unknown message of an event that another tool made and signed. Its thread then exists, and can be
 * answered and read. Anything else is ignored.
 */
export function registerUnknownIds(context: SimulatorContext, envelope: unknown): void {
  const parsed = v.safeParse(posted, envelope);
  if (!parsed.success) return;
  const { channel, ts: at, user, text = '', thread_ts: thread, channel_type: kind } = parsed.output.event;
  if (context.state.messages.get(channel)?.has(at)) return;
  if (!context.state.channels.has(channel))
    record(context, { kind: 'channel', channel: channelOf(context, channel, user, kind) });
  const root = thread === undefined || thread === at ? undefined : thread;
  if (root !== undefined && !context.state.messages.get(channel)?.has(root)) {
    record(context, { kind: 'message', message: { channel, ts: root, user, text: '' } });
  }
  const inThread = root === undefined ? {} : { thread: root };
  record(context, { kind: 'message', message: { channel, ts: at, user, text, ...inThread } });
}

const KINDS: Readonly<Record<string, Channel['kind']>> = { D: 'im', G: 'group' };

function channelOf(
  { identity }: SimulatorContext,
  of: string,
  user: string,
  channelKind?: Channel['kind'],
): Channel {
  const kind = channelKind ?? KINDS[of.slice(0, 1)] ?? 'channel';
  return { id: of, name: of.toLowerCase(), kind, members: [user, identity.botUserId] };
}
