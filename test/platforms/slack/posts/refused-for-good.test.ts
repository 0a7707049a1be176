import { expect, test } from '@jest/globals';
import {
  type Card,
  channelId,
  type Interaction,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import { CannotPostError, ReplyRefusedError } from '../../../../shared/platforms/ports/index.ts';
import { type SlackCall, SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { createSlackMessenger } from '../../../../shared/platforms/slack/index.ts';
import { memoryPostedMessages } from '../../../fakes/posted-messages.ts';
import { fakeTime } from '../fake-slack.ts';

const CARD: Card = { parts: [{ kind: 'text', markdown: 'Half done.' }] };
const INTERACTION: Interaction = {
  id: 'call-1',
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  by: { user: userId('U1'), workspace: workspaceId('T1'), roles: [] },
  responseToken: '',
  tokenExpiresAtMs: 0,
  payload: { kind: 'home' },
};

const messengerWith = (call: SlackCall, time = fakeTime()) =>
  createSlackMessenger({
    call,
    time,
    posts: memoryPostedMessages(),
    respondToUrl: () => Promise.resolve(),
    origins: [],
  });

test.each([
  'app_access_restricted',
  'channel_not_found',
  'ekm_access_denied',
  'is_archived',
  'messages_tab_disabled',
  'restricted_action',
  'user_disabled',
  'user_not_found',
  'user_not_visible',
])('a direct message that Slack refuses for good (%s) is not repeated', async (code) => {
  const call: SlackCall = (method) => Promise.reject(new SlackApiError(method, code));
  const stage = messengerWith(call);
  const to = { platform: 'slack', workspace: workspaceId('T1') } as const;
  await expect(stage.sendDirectMessage(to, userId('U1'), CARD)).rejects.toBeInstanceOf(CannotPostError);
});

test.each([
  ['', 'user_not_in_channel', true],
  ['', 'is_archived', true],
  ['', 'internal_error', false],
  ['home', 'not_enabled', true],
])(
  'a response by %j that Slack refuses with %s is refused for good: %s',
  async (responseToken, code, expected) => {
    const call: SlackCall = (method) => Promise.reject(new SlackApiError(method, code));
    const time = fakeTime();
    const stage = messengerWith(call, time);
    const outcome = await time.until(
      stage.respond({ ...INTERACTION, responseToken }, CARD).catch((error: unknown) => error),
    );
    expect(outcome instanceof ReplyRefusedError).toBe(expected);
  },
);
