import { expect, test } from '@jest/globals';
import { channelId, messageId } from '../../../../shared/domain/index.ts';
import { type SlackCall, SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { createCardFinder, findCards } from '../../../../shared/platforms/slack/posts/find-card.ts';

const channel = channelId('C0');
const whoAmI = async () => ({ user: 'U0BOT', bot: 'B0BOT' });
const card = (ts: string, key: string, of: object = { user: 'U0BOT' }) => ({
  ts,
  ...of,
  metadata: { event_type: 'parley_card', event_payload: { card: key } },
});
/** What stands beside cards in real channels: messages of old webhooks, whose fields are null, and metadata of other apps. */
const OTHERS = [
  { ts: '9.000001', user: null, bot_id: 'B0OLD', text: null, subtype: 'bot_message' },
  { ts: '9.000002', user: 'U0ADA', bot_id: null },
  { ts: '9.000003', user: 'U0APP', metadata: { event_type: 'task_created' } },
  { ts: '9.000004', user: 'U0APP', metadata: null },
  'nonsense',
];

const slackWith = (messages: readonly unknown[]) => {
  const methods: string[] = [];
  const call: SlackCall = async (method) => {
    methods.push(method);
    return { ok: true, messages };
  };
  return { call, methods };
};

test('a card is found beside messages of any form, in a channel and in a thread', async () => {
  const { call, methods } = slackWith([...OTHERS, card('8.000001', 'job-2'), card('8.000000', 'job-1')]);
  const find = createCardFinder(call, whoAmI);
  expect(await find({ channel }, 'job-1')).toBe('8.000000');
  expect(await find({ channel, root: messageId('1.000000') }, 'job-2')).toBe('8.000001');
  expect(await find({ channel }, 'job-3')).toBeUndefined();
  expect(methods).toEqual(['conversations.history', 'conversations.replies', 'conversations.history']);
});

test.each(['missing_scope', 'access_denied', 'restricted_action', 'channel_is_limited_access'])(
  'a card is not found where the app may not read: %s',
  async (code) => {
    const call: SlackCall = (method) => Promise.reject(new SlackApiError(method, code));
    expect(await createCardFinder(call, whoAmI)({ channel }, 'job-1')).toBeUndefined();
    expect(await findCards(call, whoAmI, channel, 'job-1')).toEqual([]);
  },
);

test('a card counts only if the bot itself posted it', async () => {
  const { call } = slackWith([
    card('8.000003', 'job-1', { user: 'U0ADA' }),
    card('8.000002', 'job-1', { user: null, bot_id: 'B0OTHER' }),
    card('8.000001', 'job-1', { bot_id: 'B0BOT' }),
    card('8.000000', 'job-1'),
  ]);
  expect(await findCards(call, whoAmI, channel, 'job-1')).toEqual(['8.000001', '8.000000']);
  const withoutBotId = await findCards(call, async () => ({ user: 'U0BOT' }), channel, 'job-1');
  expect(withoutBotId).toEqual(['8.000000']);
});
