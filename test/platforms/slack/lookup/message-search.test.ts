import { expect, test } from '@jest/globals';
import {
  type SlackCall,
  SlackApiError,
  SlackRateLimitError,
} from '../../../../shared/platforms/slack/api/call.ts';
import { searchMessages } from '../../../../shared/platforms/slack/lookup/message-search.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { ADA, GRACE, inner, setUp } from '../../../simulators/slack/harness.ts';

const NEVER = new AbortController().signal;

const refuse: SlackCall = () => Promise.reject(new Error('sent'));
const findNothing: SlackCall = () => Promise.resolve({ results: {} });
const readHits = (response: Record<string, unknown>) =>
  searchMessages({ call: () => Promise.resolve(response) }, { query: 'x', token: 't' }, NEVER);

/** Ada asks the bot; what the event gave for it. */
function askBot(options: Parameters<typeof setUp>[0] = {}) {
  const at = setUp(options);
  at.workspace.say(ADA, '@parley what is the code?');
  const event = inner(at.events.at(-1));
  const thread = event['assistant_thread'];
  const token = /"action_token":"([^"]+)"/u.exec(JSON.stringify(thread))?.[1];
  const search = (query: string, given = token) =>
    searchMessages({ call: createDirectClient(at.workspace) }, { query, token: given }, NEVER);
  return { ...at, token, search };
}

test('finds messages of people in public channels, with author, time and link, and nothing of private ones', async () => {
  const at = askBot();
  const ts = at.workspace.say(GRACE, 'The door code is 1234 & changes', { channel: 'general' });
  at.workspace.say(GRACE, 'The door code of the lab is 9999', { channel: 'lab' });
  at.workspace.say(GRACE, 'My door code is 7777', { channel: 'dm' });
  at.call('chat.postMessage', { channel: at.channel, text: 'The door code is unknown to me' });
  const [hit, ...others] = await at.search('door');
  expect(others).toEqual([]);
  expect(hit).toEqual({
    id: ts,
    by: GRACE,
    author: 'Grace Hopper',
    isBot: false,
    at: Number(ts) * 1_000,
    channel: 'general',
    text: 'The door code is 1234 & changes',
    link: `https://parley.slack.com/archives/${at.channel}/p${ts.replace('.', '')}`,
  });
});

test('the token of the event is needed, and expires', async () => {
  const at = askBot();
  await expect(at.search('door', 'forged')).rejects.toMatchObject({ failure: 'not-allowed-now' });
  at.clock.advance(11 * 60_000);
  await expect(at.search('door')).rejects.toMatchObject({
    failure: 'not-allowed-now',
    code: 'invalid_action_token',
  });
});

test('without a token nothing is sent', async () => {
  await expect(
    searchMessages({ call: refuse }, { query: 'x', token: undefined }, NEVER),
  ).rejects.toMatchObject({
    failure: 'not-allowed-now',
    code: undefined,
  });
});

test('without the scope the failure says so', async () => {
  const at = askBot({ identity: { scopes: ['chat:write'] } });
  await expect(at.search('door')).rejects.toMatchObject({ failure: 'missing-scope', code: 'missing_scope' });
});

test.each([
  [new SlackApiError('m', 'feature_not_enabled'), 'not-offered', 'feature_not_enabled'],
  [
    new SlackApiError('m', 'assistant_search_context_disabled'),
    'not-offered',
    'assistant_search_context_disabled',
  ],
  [new SlackApiError('m', 'access_denied'), 'not-offered', 'access_denied'],
  [new SlackApiError('m', 'not_allowed_token_type'), 'missing-scope', 'not_allowed_token_type'],
  [new SlackApiError('m', 'ratelimited'), 'busy', 'busy'],
  [new SlackRateLimitError('m', 30_000), 'busy', 'busy'],
  [new SlackApiError('m', 'query_too_long'), 'down', 'query_too_long'],
  [new SlackApiError('m', 'internal_error'), 'down', 'unknown'],
  [new Error('no usable answer'), 'down', 'unknown'],
])('%s is %s', async (error, failure, code) => {
  const call: SlackCall = async () => {
    throw error;
  };
  await expect(searchMessages({ call }, { query: 'x', token: 't' }, NEVER)).rejects.toMatchObject({
    failure,
    code,
  });
});

test('a response of another form is a failure; a single message of another form is left out', async () => {
  await expect(readHits({ ok: true })).rejects.toMatchObject({ failure: 'down' });
  expect(await readHits({ results: {} })).toEqual([]);
  const message = { message_ts: '1700000000.000100', content: 'yes', permalink: 'https://x.slack.com/1' };
  const messages = [{ content: 'no' }, message, { ...message, content: '' }];
  expect(await readHits({ results: { messages } })).toMatchObject([
    { text: 'yes', author: 'someone', by: undefined },
  ]);
});

test('an aborted search rejects with its reason', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(searchMessages({ call: findNothing }, { query: 'x', token: 't' }, stopped)).rejects.toThrow(
    'stopped',
  );
});
