import type { Channel, Json, Message } from './state.ts';
import { eventIdOf, tsOf } from './ticks.ts';
import type { Envelope, World } from './world.ts';
import { presentMessage } from './present.ts';
import { mentions } from './words.ts';

const SUBSCRIPTION = { channel: 'message.channels', group: 'message.groups', im: 'message.im' } as const;
const CHANNEL_TYPE = { channel: 'channel', group: 'group', im: 'im' } as const;

/**
 * Tells the app of a new message. A person's mention of the bot outside DMs comes twice, as `app_mention`
 * and as `message`, with ids of their own and in no promised order.
 */
export function emitPosted(world: World, channel: Channel, message: Message): void {
  const shown = presentMessage(world, message);
  const copy: Json = { ...shown, channel: channel.id, event_ts: message.ts };
  const tell = (): void => emitMessage(world, channel, { ...copy, channel_type: CHANNEL_TYPE[channel.kind] });
  const named = mentions(message.text, world.identity.botUserId) && message.user !== world.identity.botUserId;
  if (!named || channel.kind === 'im') return tell();
  const mention = (): void => emit(world, channel, 'app_mention', { ...copy, type: 'app_mention' });
  if (world.options.mentionFirst()) {
    mention();
    tell();
  } else {
    tell();
    mention();
  }
}

/** Tells the app that a message has another content now; also for the bot's own updates. */
export function emitChanged(world: World, channel: Channel, before: Json, after: Message): void {
  const ts = tsOf(world.ticks.next());
  emitMessage(world, channel, {
    type: 'message',
    subtype: 'message_changed',
    message: presentMessage(world, after),
    previous_message: before,
    channel: channel.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: CHANNEL_TYPE[channel.kind],
  });
}

/** Tells the app that a message is gone. */
export function emitDeleted(world: World, channel: Channel, before: Json): void {
  const ts = tsOf(world.ticks.next());
  emitMessage(world, channel, {
    type: 'message',
    subtype: 'message_deleted',
    previous_message: before,
    deleted_ts: before['ts'] ?? '',
    channel: channel.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: CHANNEL_TYPE[channel.kind],
  });
}

function emitMessage(world: World, channel: Channel, event: Json): void {
  emit(world, channel, SUBSCRIPTION[channel.kind], event);
}

/** Slack delivers what the app subscribed to, from channels that the bot is in. */
function emit(world: World, channel: Channel, subscription: string, event: Json): void {
  const { identity } = world;
  if (!identity.subscriptions.includes(subscription) || !channel.members.includes(identity.botUserId)) return;
  const id = eventIdOf(world.ticks.next());
  const envelope: Envelope = {
    token: 'simulated-verification-token',
    team_id: identity.teamId,
    context_team_id: identity.teamId,
    context_enterprise_id: null,
    api_app_id: identity.appId,
    event,
    type: 'event_callback',
    event_id: id,
    event_time: Math.floor(world.now() / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: identity.teamId,
        user_id: identity.botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${Buffer.from(`${identity.appId}:${id}:${channel.id}`).toString('base64url')}`,
  };
  for (const listener of world.onEvent) listener(envelope);
}
