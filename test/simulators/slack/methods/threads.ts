import { type Args, jsonArg, optional, required } from '../args.ts';
import * as v from 'valibot';
import type { Channel } from '../state.ts';
import { statusKey } from '../state.ts';
import { type ApiSuccess, writableChannel, record, RefusalError, type SimulatorContext } from '../context.ts';

/** Slack removes a status that is not renewed. */
const STATUS_LASTS_MS = 2 * 60_000;

const loadingShape = v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(50))), v.maxLength(10));

/**
 * Shows a status text below a thread until the bot's next message there, an empty status, or two minutes, in place of
 * its session.
 */
export function setStatus(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = writableChannel(context, required(args, 'channel_id'));
  const thread = required(args, 'thread_ts');
  const root = context.state.messages.get(channel.id)?.get(thread);
  if (!root || root.thread !== undefined) throw new RefusalError('invalid_thread_ts');
  if (typeof args['status'] !== 'string') required(args, 'status');
  const loading = v.safeParse(loadingShape, jsonArg(args, 'loading_messages', 'invalid_arguments') ?? []);
  if (!loading.success) throw new RefusalError('invalid_arguments');
  const words = optional(args, 'status') ?? '';
  const until = context.now() + STATUS_LASTS_MS;
  record(context, {
    kind: 'status',
    status: { channel: channel.id, thread, words, loading: loading.output, until },
  });
  const session = context.state.sessions.get(statusKey(channel.id, thread));
  if (session && !session.covered)
    record(context, { kind: 'session', session: { ...session, covered: true } });
  return { ok: true };
}

/** The next message of the bot in a thread removes the status. */
export function clearStatus(context: SimulatorContext, channel: Channel, thread: string): void {
  if (!context.state.statuses.has(statusKey(channel.id, thread))) return;
  record(context, {
    kind: 'status',
    status: { channel: channel.id, thread, words: '', loading: [], until: 0 },
  });
}
