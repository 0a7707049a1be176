import type { EnvelopedEvent, MessageShortcut } from '@slack/bolt';
import type { GenericMessageEvent, SlackEvent } from '@slack/types';
import { createHmac, randomUUID } from 'node:crypto';

const TOKEN = 'verification-token';

/** The receiver of an event, and how it is signed. */
export type Recipient = {
  /** Request URL of the app. */
  readonly url: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly appId: string;
  readonly botUserId: string;
};

/** Posts an event to the app as Slack does: in its envelope, signed. Rejects unless the app acknowledges it. */
export async function deliver(event: SlackEvent, to: Recipient): Promise<void> {
  const envelope: EnvelopedEvent<SlackEvent> = {
    token: TOKEN,
    type: 'event_callback',
    team_id: to.teamId,
    api_app_id: to.appId,
    event_id: `Ev${randomUUID().replaceAll('-', '').toUpperCase().slice(0, 10)}`,
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: to.teamId,
        user_id: to.botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    event,
  };
  await post(JSON.stringify(envelope), 'application/json', to);
}

/** As `deliver`, for a shortcut that somebody chose in the menu of a message: JSON in a field of a form. */
export async function deliverShortcut(
  chosen: Pick<MessageShortcut, 'callback_id' | 'trigger_id' | 'message_ts' | 'message'>,
  at: { readonly user: string; readonly channel: string },
  to: Recipient,
): Promise<void> {
  const shortcut: MessageShortcut = {
    type: 'message_action',
    ...chosen,
    user: { id: at.user, name: 'ada', team_id: to.teamId },
    channel: { id: at.channel, name: 'workshop' },
    team: { id: to.teamId, domain: 'emulate' },
    token: TOKEN,
    action_ts: `${Math.floor(Date.now() / 1_000)}.000000`,
    response_url: 'https://hooks.slack.com/app/T000000001/1/x',
  };
  const form = new URLSearchParams({ payload: JSON.stringify(shortcut) });
  await post(form.toString(), 'application/x-www-form-urlencoded', to);
}

async function post(body: string, contentType: string, to: Recipient): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', to.signingSecret).update(`v0:${now}:${body}`).digest('hex');
  const response = await fetch(to.url, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      'x-slack-request-timestamp': String(now),
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
  if (response.status !== 200) throw new Error(`the app answered with ${response.status}`);
}

/** A message of a person. */
export type Written = {
  readonly channel: string;
  readonly ts: string;
  readonly user: string;
  readonly text: string;
  readonly thread_ts?: string | undefined;
};

/** The message event, and the fields that change events contain. */
export function messageEvent({ channel, ts, user, text, thread_ts: thread }: Written): GenericMessageEvent {
  return {
    type: 'message',
    subtype: undefined,
    channel,
    channel_type: channel.startsWith('D') ? 'im' : 'channel',
    user,
    text,
    ts,
    event_ts: ts,
    ...(thread === undefined ? {} : { thread_ts: thread }),
  };
}

/** The two events of one mention, in Slack's order. */
export function mentionEvents(written: Written): SlackEvent[] {
  const { channel, ts, user, text, thread_ts: thread } = written;
  const thread_ts = thread === undefined ? {} : { thread_ts: thread };
  return [
    { type: 'app_mention', channel, user, text, ts, event_ts: ts, ...thread_ts },
    messageEvent(written),
  ];
}

/** Slack sends another timestamp for the change than for the message. */
type Change = { readonly channel: string; readonly at: string };

export function changedEvent({ channel, at }: Change, before: Written, after: Written): SlackEvent {
  return {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    channel,
    channel_type: messageEvent(after).channel_type,
    ts: at,
    event_ts: at,
    message: { ...messageEvent(after), edited: { user: after.user, ts: at } },
    previous_message: messageEvent(before),
  };
}

export function deletedEvent({ channel, at }: Change, before: Written): SlackEvent {
  return {
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    channel,
    channel_type: messageEvent(before).channel_type,
    ts: at,
    event_ts: at,
    deleted_ts: before.ts,
    previous_message: messageEvent(before),
  };
}

export const homeEvent = (user: string, channel: string, at: string): SlackEvent => ({
  type: 'app_home_opened',
  user,
  channel,
  tab: 'home',
  event_ts: at,
});
