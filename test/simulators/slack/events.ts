import { organizationOf, teamOf } from './identity.ts';
import { type Channel, isJson, type Json, type Message } from './state.ts';
import { eventIdOf, tsOf } from './ticks.ts';
import { type Envelope, record, type SimulatorContext } from './context.ts';
import { presentMessage } from './present.ts';
import { actionTokenOf } from './action-tokens.ts';
import { mentions } from './typed-text.ts';

const SUBSCRIPTION = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
} as const;

/**
 * Sends the event of a new message. A mention of the bot outside DMs is sent twice, as `app_mention` and as
 * `message`, with ids of their own and in no guaranteed order.
 */
export function emitPosted(context: SimulatorContext, channel: Channel, message: Message): void {
  const json = presentMessage(context, message);
  const copy: Json = { ...json, channel: channel.id, event_ts: message.ts };
  const share: Json = message.files ? { subtype: 'file_share' } : {};
  const token = () => actionTokenOf(context, channel, message);
  const tell = (): void =>
    emitMessage(context, channel, { ...copy, ...share, ...token(), channel_type: channel.kind });
  tellWithMention(context, channel, message, { ...copy, ...token() }, tell);
}

/**
 * Sends a mention of the bot outside DMs also as `app_mention`. By default without its files: bots met both (openclaw/openclaw#115157 and
 * PrefectHQ/marvin#1368 without, slackapi/bolt-js#2056 with them).
 */
function tellWithMention(
  context: SimulatorContext,
  channel: Channel,
  message: Message,
  copy: Json,
  tell: () => void,
): void {
  const { botUserId } = context.identity;
  if (!mentions(message.text, botUserId) || message.user === botUserId || channel.kind === 'im')
    return tell();
  const marks = mentionMarks(context, channel, message);
  const { files: _, upload: __, display_as_bot: ___, ...withoutFiles } = copy;
  const seen = context.options.mentionHasFiles() ? { files: [], ...copy } : withoutFiles;
  const mention = (): void =>
    emit(context, channel, 'app_mention', { ...seen, ...marks, type: 'app_mention' });
  if (context.options.mentionFirst()) {
    mention();
    tell();
  } else {
    tell();
    mention();
  }
}

/**
 * The workspaces in a mention by a person of another company: `team` is that of the bot, the others are that of the person, or their
 * organization if they have one. Source: `slack_connect_events_api_no_actor_team_requests` in the tests of slackapi/bolt-python.
 */
function mentionMarks({ identity }: SimulatorContext, { connected }: Channel, { user }: Message): Json {
  const team = teamOf(identity, user);
  if (connected === undefined || team === identity.teamId) return {};
  const named = organizationOf(identity, user) ?? team;
  return { team: identity.teamId, user_team: named, source_team: named };
}

/** Sends the events of an edit: of one that mentions the bot, `app_mention` again, with `edited` (slackapi/bolt-js#960). */
export function emitEdited(context: SimulatorContext, channel: Channel, before: Json, after: Message): void {
  const copy: Json = {
    ...presentMessage(context, after),
    channel: channel.id,
    event_ts: tsOf(context.ticks.next()),
  };
  tellWithMention(context, channel, after, copy, () => emitChanged(context, channel, before, after));
}

/**
 * Sends message_changed; also for the bot's own updates, and for a deleted message that leaves a tombstone above its
 * replies.
 */
export function emitChanged(context: SimulatorContext, channel: Channel, before: Json, after: Message): void {
  const ts = tsOf(context.ticks.next());
  emitMessage(context, channel, {
    type: 'message',
    subtype: 'message_changed',
    message: presentMessage(context, after),
    previous_message: before,
    channel: channel.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: channel.kind,
  });
}

/** Sends message_deleted. */
export function emitDeleted(context: SimulatorContext, channel: Channel, before: Json): void {
  const ts = tsOf(context.ticks.next());
  emitMessage(context, channel, {
    type: 'message',
    subtype: 'message_deleted',
    previous_message: before,
    deleted_ts: before['ts'] ?? '',
    channel: channel.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: channel.kind,
  });
}

/** Sends the event of Slack's own Stop in a thread. */
export function emitStopped(
  context: SimulatorContext,
  channel: Channel,
  stop: { user: string; thread: string; streams: string[] },
): void {
  emit(context, channel, 'agent_session_stopped', {
    type: 'agent_session_stopped',
    channel: channel.id,
    user: stop.user,
    thread_ts: stop.thread,
    streaming_message_ts: stop.streams,
    event_ts: tsOf(context.ticks.next()),
  });
}

/** Sends reaction_added. */
export function emitReaction(
  context: SimulatorContext,
  channel: Channel,
  { ts, user: author }: Message,
  user: string,
  reaction: string,
): void {
  emit(context, channel, 'reaction_added', {
    type: 'reaction_added',
    user,
    reaction,
    item_user: author,
    item: { type: 'message', channel: channel.id, ts },
    event_ts: tsOf(context.ticks.next()),
  });
}

/** Sends app_home_opened. */
export function emitHome(context: SimulatorContext, channel: Channel, user: string): void {
  emit(context, channel, 'app_home_opened', {
    type: 'app_home_opened',
    user,
    channel: channel.id,
    tab: 'home',
    event_ts: tsOf(context.ticks.next()),
  });
}

function emitMessage(context: SimulatorContext, channel: Channel, event: Json): void {
  emit(context, channel, SUBSCRIPTION[channel.kind], event);
}

/**
 * The app is removed: Slack sends two events that apps can subscribe to, in either order, and revokes its tokens. For an organization-wide
 * installation the events name only the organization.
 */
export function emitUninstall(context: SimulatorContext, first: 'app_uninstalled' | 'tokens_revoked'): void {
  const { identity } = context;
  const { enterprise, teamId } = identity;
  const events = [
    { type: 'app_uninstalled' },
    { type: 'tokens_revoked', tokens: { oauth: [], bot: [identity.botUserId] } },
  ];
  if (first === 'tokens_revoked') events.reverse();
  for (const event of events) {
    if (!identity.subscriptions.includes(event.type)) continue;
    const envelope = {
      token: 'simulated-verification-token',
      ...(enterprise?.orgInstall ? {} : { team_id: teamId }),
      ...(enterprise ? { enterprise_id: enterprise.id } : {}),
      api_app_id: identity.appId,
      event,
      type: 'event_callback',
      event_id: eventIdOf(context.ticks.next(), context.nth),
      event_time: Math.floor(context.now() / 1000),
    };
    for (const listener of context.onEvent) listener(envelope);
  }
}

/**
 * A channel is deleted: Slack sends no `message_deleted`. Of a private channel, only its members hear. Sources:
 * docs.slack.dev/reference/events/channel_deleted (scope `channels:read`) and group_deleted (scope `groups:read`).
 */
export function emitChannelDeleted(context: SimulatorContext, channel: Channel): void {
  const { identity } = context;
  if (channel.kind !== 'channel' && channel.kind !== 'group') throw new Error('Only channels can be deleted');
  const [type, scope] =
    channel.kind === 'channel' ? ['channel_deleted', 'channels:read'] : ['group_deleted', 'groups:read'];
  const isPublic = channel.kind === 'channel';
  record(context, { kind: 'channel-removal', channel: channel.id });
  if (!identity.subscriptions.includes(type) || !identity.scopes.includes(scope)) return;
  if (!isPublic && !channel.members.includes(identity.botUserId)) return;
  const event = { type, channel: channel.id, event_ts: tsOf(context.ticks.next()) };
  const envelope = envelopeOf(context, channel, event);
  for (const listener of context.onEvent) listener(envelope);
}

/**
 * An organization removes the app from some of its workspaces, if the app subscribed to it. Source:
 * docs.slack.dev/reference/events/team_access_revoked; the envelope as in bolt-python's scenario tests of org apps.
 */
export function emitAccessRevoked(context: SimulatorContext, teamIds: readonly string[]): void {
  const { identity } = context;
  const { enterprise, subscriptions } = identity;
  if (!enterprise?.orgInstall || !subscriptions.includes('team_access_revoked')) return;
  const tick = context.ticks.next();
  const envelope = {
    token: 'simulated-verification-token',
    enterprise_id: enterprise.id,
    api_app_id: identity.appId,
    event: { type: 'team_access_revoked', team_ids: [...teamIds], event_ts: tsOf(tick) },
    type: 'event_callback',
    event_id: eventIdOf(tick, context.nth),
    event_time: Math.floor(context.now() / 1000),
  };
  for (const listener of context.onEvent) listener(envelope);
}

/** Slack delivers subscribed events from channels with the bot. */
function emit(context: SimulatorContext, channel: Channel, subscription: string, event: Json): void {
  const { identity } = context;
  if (!identity.subscriptions.includes(subscription) || !channel.members.includes(identity.botUserId)) return;
  const envelope = envelopeOf(context, channel, event);
  for (const listener of context.onEvent) listener(envelope);
}

/**
 * The envelope. In a shared channel `team_id` is the workspace of the event, and `context_team_id` that of the receiving installation; both
 * are the latter for a mention. An organization-wide installation has no single workspace.
 */
function envelopeOf(context: SimulatorContext, channel: Channel, event: Json): Envelope {
  const { identity } = context;
  const { enterprise } = identity;
  const id = eventIdOf(context.ticks.next(), context.nth);
  const org = enterprise?.orgInstall === true;
  const { user } = { ...event, ...(isJson(event['message']) ? event['message'] : {}) };
  const isForeign = channel.connected && typeof user === 'string' && event['type'] !== 'app_mention';
  const from = isForeign ? teamOf(identity, user) : identity.teamId;
  const organization = isForeign ? organizationOf(identity, user) : enterprise?.id;
  return {
    token: 'simulated-verification-token',
    team_id: from,
    ...(organization === undefined ? {} : { enterprise_id: organization }),
    context_team_id: identity.teamId,
    context_enterprise_id: enterprise?.id ?? null,
    api_app_id: identity.appId,
    event,
    type: 'event_callback',
    event_id: id,
    event_time: Math.floor(context.now() / 1000),
    authorizations: [
      {
        enterprise_id: enterprise?.id ?? null,
        team_id: org ? null : identity.teamId,
        user_id: identity.botUserId,
        is_bot: true,
        is_enterprise_install: org,
      },
    ],
    is_ext_shared_channel: channel.connected !== undefined,
    event_context: `4-${Buffer.from(`${identity.appId}:${id}:${channel.id}`).toString('base64url')}`,
  };
}
