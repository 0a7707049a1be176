import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RecordedExchange } from '../simulators/recorder.ts';
import { ADA, setUp, text } from '../simulators/slack/harness.ts';
import { type Claim, claimsOf } from './slack-claims.ts';
import { type TypeDeviation, typeCheck } from './type-check.ts';

const call = (operation: string, request: object, response?: object): RecordedExchange => ({
  platform: 'slack',
  kind: 'call',
  operation,
  request,
  ...(response ? { status: 200, response } : {}),
});
const delivery = (operation: string, request: unknown): RecordedExchange => ({
  platform: 'slack',
  kind: 'delivery',
  operation,
  request,
});

const plain = (words: string) => ({ type: 'plain_text', text: words });
const C = 'C0GENERAL0';

/** Each is wrong in one way. */
const WRONG: Readonly<Record<string, RecordedExchange>> = {
  'an argument that the method does not have': call('chat.startStream', {
    channel: C,
    thread_ts: '1.000001',
    unfurl_links: 'false',
  }),
  'an argument that is missing': call('chat.update', { channel: C, text: 'x' }),
  'text where there should be a list': call('assistant.threads.setStatus', {
    channel_id: C,
    thread_ts: '1.000001',
    status: 'is thinking',
    loading_messages: 'one',
  }),
  'a method that there is none of': call('chat.shout', { channel: C }),
  'a block with an unknown field': call('chat.postMessage', {
    channel: C,
    text: 'x',
    blocks: JSON.stringify([{ type: 'header', text: plain('x'), colour: 'red' }]),
  }),
  'a kind of block that there is none of': call('chat.postMessage', {
    channel: C,
    text: 'x',
    blocks: JSON.stringify([{ type: 'shout', text: plain('x') }]),
  }),
  'a task in no known state': call('chat.appendStream', {
    channel: C,
    ts: '1.000001',
    chunks: JSON.stringify([{ type: 'task_update', id: '1', title: 'x', status: 'busy' }]),
  }),
  'an answer by response_url with a field of its own': call('response_url', { text: 'x', colour: 'red' }),
  'an answer of the simulator with a field of its own': call(
    'chat.delete',
    { channel: C, ts: '1.000001' },
    { ok: true, channel: C, ts: '1.000001', removed: true },
  ),
  'an event without its channel': delivery('app_mention', {
    ...envelope(),
    event: { type: 'app_mention', user: 'U1', text: 'x', ts: '1.000001', event_ts: '1.000001' },
  }),
};

function envelope() {
  const { workspace, events } = setUp();
  workspace.say(ADA, '@parley hi');
  return events[0] ?? {};
}

/** What the simulator answers and sends, of each kind that a journey has. */
function simulated(): RecordedExchange[] {
  const { workspace, events, call: ask, channel, recipient } = setUp();
  const exchanges: RecordedExchange[] = [];
  const api = (method: string, args: Record<string, unknown>) => {
    const response = ask(method, args);
    exchanges.push(call(method, args, response));
    return response;
  };
  const thread_ts = workspace.say(ADA, '@parley hi');
  const started = api('chat.startStream', { channel, thread_ts, markdown_text: 'He', ...recipient });
  const thumb = (value: string) => ({ text: plain(value), value });
  const rated = {
    type: 'feedback_buttons',
    action_id: 'rate',
    positive_button: thumb('good'),
    negative_button: thumb('bad'),
  };
  const blocks = [{ type: 'context_actions', elements: [rated] }];
  const ts = text(started['ts']);
  api('chat.stopStream', { channel, ts, blocks });
  exchanges.push(delivery('block_actions', workspace.press(ADA, ts, 'good')));
  api('chat.update', { channel, ts, text: 'Hello.' });
  api('conversations.replies', { channel, ts: thread_ts });
  api('conversations.members', { channel, limit: 1 });
  const shortcut = workspace.shortcut(ADA, 'ask-about', ts);
  exchanges.push(delivery('message_action', shortcut));
  const input = { type: 'plain_text_input', action_id: 'value' };
  const view = {
    type: 'modal',
    callback_id: 'form',
    title: plain('A form'),
    submit: plain('Send'),
    blocks: [{ type: 'input', block_id: 'name', label: plain('Name'), element: input }],
  };
  api('views.open', { trigger_id: shortcut['trigger_id'], view });
  exchanges.push(delivery('view_submission', workspace.submission(ADA, { name: 'x' })));
  workspace.remove(ADA, 'general', thread_ts);
  return [...exchanges, ...events.map((event) => delivery('message', event))];
}

let deviations: readonly TypeDeviation[];
const claims: Claim[] = [];
const ranges = new Map<string, readonly Claim[]>();

beforeAll(async () => {
  for (const [name, exchange] of Object.entries(WRONG)) ranges.set(name, claimsOf([exchange]));
  ranges.set('simulated', claimsOf(simulated()));
  claims.push(...[...ranges.values()].flat());
  deviations = await typeCheck(claims);
});

const deviationsOf = (name: string) => deviations.filter(({ claim }) => ranges.get(name)?.includes(claim));

describe('the official types of Slack reject', () => {
  test.each(Object.keys(WRONG))('%s', (name) => {
    expect(deviationsOf(name).length).toBeGreaterThan(0);
  });
});

test('what the simulated Slack responds and sends has the official types', () => {
  expect(deviationsOf('simulated').map(({ claim, error }) => [claim.operation, error])).toEqual([]);
});

test('two requests of the same shape are checked once, and form values are parsed', () => {
  const like = (limit: string) => call('conversations.replies', { channel: C, ts: '1.000001', limit });
  const listClaims = claimsOf([like('20'), like('200'), like('all')]);
  expect(listClaims.map(({ value, count }) => [value, count])).toEqual([
    [{ channel: C, ts: '1.000001', limit: 20 }, 2],
    [{ channel: C, ts: '1.000001', limit: 'all' }, 1],
  ]);
});
