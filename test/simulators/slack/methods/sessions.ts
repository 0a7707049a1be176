import * as z from 'zod/mini';
import { type Args, optional, required } from '../args.ts';
import { statusKey } from '../state.ts';
import { type Accepted, channelNamed, record, Refusal, type World } from '../world.ts';

const statusShape = z.enum(['active', 'processing', 'suspended', 'closed']);

/** People see a loading sign instead of a Stop. */
const UNHEARD = 'missing_agent_session_stopped_event_subscription';

/** Says what the app does in a thread; the session is made by the first call, which alone may name it. */
export function setSessionStatus(world: World, args: Args): Accepted {
  const channel = channelNamed(world, required(args, 'channel_id'));
  if (!channel.members.includes(world.identity.botUserId)) throw new Refusal('not_authorized');
  const status = statusShape.safeParse(required(args, 'status'));
  if (!status.success) throw new Refusal('invalid_status');
  const thread = optional(args, 'thread_ts');
  if (thread === undefined) throw new Refusal('thread_ts_required');
  const initiator = optional(args, 'initiator_user_id');
  if (initiator !== undefined && !channel.members.includes(initiator)) throw new Refusal('user_not_found');
  const known = world.state.sessions.get(statusKey(channel.id, thread));
  const title = known ? known.title : optional(args, 'title')?.slice(0, 200);
  const named = title === undefined ? {} : { title };
  record(world, {
    kind: 'session',
    session: { channel: channel.id, thread, status: status.data, ...named },
  });
  const heard = world.identity.subscriptions.includes('agent_session_stopped');
  const warning = heard ? {} : { warning: UNHEARD, response_metadata: { warnings: [UNHEARD] } };
  return { ok: true, status: status.data, agent_status: status.data, ...named, ...warning };
}
