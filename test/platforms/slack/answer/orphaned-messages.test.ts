import { expect, test } from '@jest/globals';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../../../shared/domain/index.ts';
import {
  type SlackResponse,
  type SlackCall,
  SlackApiError,
} from '../../../../shared/platforms/slack/api/call.ts';
import { createOrphanFinder } from '../../../../shared/platforms/slack/answer/orphaned-messages.ts';

const turn: TurnRef = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T0'),
    channel: channelId('C0'),
    root: messageId('100.000001'),
  },
  message: messageId('100.000005'),
  asker: userId('U0ADA'),
  askerWorkspace: workspaceId('T0'),
};
const mark = (question: string, part = 0) => ({
  metadata: { event_type: 'parley_turn', event_payload: { turn: question, part } },
});
const thread = [
  { ts: '100.000001', user: 'UBOT' },
  { ts: '100.000003', user: 'UBOT', ...mark('100.000005') },
  { ts: '100.000005', user: 'U0ADA' },
  { ts: '100.000009', user: 'UBOT', ...mark('100.000005', 1) },
  { ts: '100.000006', user: 'UBOT', ...mark('100.000005', 0) },
  { ts: '100.000007', user: 'UBOT', ...mark('100.000002') },
  { ts: '100.000008', user: 'UBOT', metadata: { event_type: 'video', event_payload: {} } },
  { ts: '100.000010', user: 'U0ADA' },
  { ts: '100.000011', bot_id: 'BBOT', streaming_state: 'in_progress' },
  { ts: '100.000012', user: 'UBOT', files: [{ id: 'F1' }] },
  { ts: '100.000013', user: 'UBOT', text: 'by a response_url' },
  { ts: '100.000014', user: 'UBOT', streaming_state: 'completed' },
  { ts: '100.000015', user: 'UBOT', streaming_state: 'completed', ...mark('100.000002') },
  'nonsense',
];

function answering(answers: Record<string, (args: Readonly<Record<string, unknown>>) => SlackResponse>) {
  const requests: Readonly<Record<string, unknown>>[] = [];
  const call: SlackCall = async (method, args) => {
    requests.push({ method, ...args });
    const answer = answers[method];
    if (!answer) throw new SlackApiError(method, 'unknown_method');
    return answer(args);
  };
  return { call, requests };
}

test("the finder returns the bot's messages with the turn's metadata and streams without metadata, posted after the question, in order", async () => {
  const { call, requests } = answering({
    'auth.test': () => ({ user_id: 'UBOT', bot_id: 'BBOT' }),
    'conversations.replies': ({ cursor }) =>
      cursor === 'more'
        ? { messages: thread.slice(5).filter((one) => one !== 'nonsense') }
        : { messages: thread.slice(0, 5), response_metadata: { next_cursor: 'more' } },
  });
  const find = createOrphanFinder({ call });
  expect(await find(turn)).toEqual([
    { id: '100.000006', part: 0 },
    { id: '100.000009', part: 1 },
    { id: '100.000011' },
    { id: '100.000014' },
  ]);
  await find(turn);
  expect(requests.filter(({ method }) => method === 'auth.test')).toHaveLength(1);
  expect(requests[1]).toMatchObject({
    channel: 'C0',
    ts: '100.000001',
    oldest: '100.000005',
    include_all_metadata: true,
  });
});

test('the finder stops after a maximum number of pages', async () => {
  const { call, requests } = answering({
    'conversations.replies': () => ({ messages: [], response_metadata: { next_cursor: 'more' } }),
  });
  expect(await createOrphanFinder({ call, botUserId: 'UBOT' })(turn)).toEqual([]);
  expect(requests).toHaveLength(5);
});

const refusing = (code: string) =>
  answering({
    'conversations.replies': () => {
      throw new SlackApiError('conversations.replies', code);
    },
  });

test('the finder returns nothing without history scope, and rejects for other errors', async () => {
  expect(await createOrphanFinder({ ...refusing('missing_scope'), botUserId: 'UBOT' })(turn)).toEqual([]);
  await expect(
    createOrphanFinder({ ...refusing('internal_error'), botUserId: 'UBOT' })(turn),
  ).rejects.toThrow('internal_error');
});
