import * as v from 'valibot';
import { type Args, optional, required } from '../args.ts';
import { type Channel, type Session, statusKey } from '../state.ts';
import { type ApiSuccess, channelOf, record, RefusalError, type SimulatorContext } from '../context.ts';
import { clearStatus } from './threads.ts';

const statusShape = v.picklist(['active', 'processing', 'suspended', 'closed']);

/** People see a loading indicator instead of a Stop. */
const UNHEARD = 'missing_agent_session_stopped_event_subscription';

/** Sets the app's status in a thread; the first call creates the session, and only it may name it. */
export function setSessionStatus(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = channelOf(context, required(args, 'channel_id'));
  if (!channel.members.includes(context.identity.botUserId)) throw new RefusalError('not_authorized');
  const status = sessionStatus(required(args, 'status'));
  const thread = optional(args, 'thread_ts');
  if (thread === undefined) throw new RefusalError('thread_ts_required');
  const initiator = optional(args, 'initiator_user_id');
  if (initiator !== undefined && !channel.members.includes(initiator))
    throw new RefusalError('user_not_found');
  const { title } = setSession(context, channel, thread, status, optional(args, 'title'));
  const titleField = title === undefined ? {} : { title };
  const isSubscribed = context.identity.subscriptions.includes('agent_session_stopped');
  const warning = isSubscribed ? {} : { warning: UNHEARD, response_metadata: { warnings: [UNHEARD] } };
  return { ok: true, status, agent_status: status, ...titleField, ...warning };
}

/** A known status; `invalid_status` for any other. */
export function sessionStatus(value: string): Session['status'] {
  const status = v.safeParse(statusShape, value);
  if (!status.success) throw new RefusalError('invalid_status');
  return status.output;
}

/** Sets the session of a thread, by a request or by a stream: the last one has the place of a status. */
export function setSession(
  context: SimulatorContext,
  channel: Channel,
  thread: string,
  status: Session['status'],
  title?: string,
): Session {
  const previous = context.state.sessions.get(statusKey(channel.id, thread));
  const storedTitle = previous ? previous.title : title?.slice(0, 200);
  const titleField = storedTitle === undefined ? {} : { title: storedTitle };
  const session = { channel: channel.id, thread, status, ...titleField };
  record(context, { kind: 'session', session });
  clearStatus(context, channel, thread);
  return session;
}

/** As `setSession`, by a stream, where the workspace has sessions. */
export function setSessionByStream(
  context: SimulatorContext,
  channel: Channel,
  thread: string,
  status: Session['status'],
): void {
  if (context.identity.refusedApis?.['agents.sessions'] === undefined)
    setSession(context, channel, thread, status);
}
