import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { AwsError } from '../../shared/aws/aws-request.ts';
import { front, mention, NOW, ROOT, signed } from './slack.ts';

describe('the Slack front, for an event that concerns the bot', () => {
  test('stores one record, sends one task and responds 200', async () => {
    const { handle, records, tasks } = front();
    expect(await handle(signed(mention()))).toEqual({ statusCode: 200, body: '' });
    expect(records()).toMatchObject([{ id: { S: '1700000000.000100' }, by: { S: 'U1' } }]);
    expect(tasks()).toMatchObject([{ kind: 'ask', question: 'hello', receivedAt: NOW }]);
  });

  test('reads base64 bodies and characters beyond ASCII', async () => {
    const { handle, tasks } = front();
    const event = mention({ text: '<@UBOT> Grüße 🎈' });
    expect(await handle(signed(event, { base64: true }))).toMatchObject({ statusCode: 200 });
    expect(await handle(signed(event, { type: 'Application/JSON; charset=utf-8' }))).toMatchObject({
      statusCode: 200,
    });
    expect(tasks()).toMatchObject([{ question: 'Grüße 🎈' }, { question: 'Grüße 🎈' }]);
  });

  test('removes the characters that SQS refuses', async () => {
    const { handle, tasks } = front();
    const files = [{ id: 'F1', name: 'a\uFFFFb.txt', mimetype: 'text/plain', size: 3, mode: 'hosted' }];
    const event = mention({ text: '<@UBOT> one\uFFFE\uFFFF\u0000 two\uD800', subtype: 'file_share', files });
    expect(await handle(signed(event))).toMatchObject({ statusCode: 200 });
    expect(tasks()).toMatchObject([{ question: 'one two', attachments: [{ name: 'ab.txt' }] }]);
  });

  test.each(['app_mention', 'message'])(
    'takes the two events of an edit that newly mentions the bot for one edit, the %s first',
    async (first) => {
      const { handle, tasks } = front();
      const edited = { user: 'U1', ts: '1700000000.500000' };
      const again = mention({ edited });
      const { event: message } = mention({ type: 'message', edited });
      const changed = mention({
        type: 'message',
        subtype: 'message_changed',
        message,
        previous_message: { ...message, text: 'hello', edited: undefined },
        ts: '1700000000.500100',
      });
      const events = first === 'message' ? [changed, again] : [again, changed];
      for (const event of events) expect(await handle(signed(event))).toMatchObject({ statusCode: 200 });
      const key = `edit-${edited.ts}`;
      expect(tasks()).toMatchObject([
        { kind: 'ask', question: 'hello', edit: key },
        { kind: 'redo', key },
      ]);
    },
  );

  test('accepts a reply without a mention only in a thread that has a turn', async () => {
    const { handle, effects, takePart } = front();
    const reply = signed(
      mention({ type: 'message', text: 'and then?', thread_ts: ROOT, channel_type: 'channel' }),
    );
    expect(await handle(reply)).toMatchObject({ statusCode: 200 });
    expect(effects.sent).toEqual([]);
    await takePart(ROOT);
    expect(await handle(reply)).toMatchObject({ statusCode: 200 });
    expect(effects.sent).toHaveLength(1);
  });

  test.each([
    ['user', { type: 'message', subtype: 'bot_message', bot_id: 'B1', user: null }],
    ['channel', { type: 'app_home_opened', tab: 'messages', channel: null }],
    ['item', { type: 'reaction_added', item: null }],
  ])('responds 200 when the %s is null, which Bolt does not expect', async (_, event) => {
    const { handle } = front();
    expect(await handle(signed(mention(event)))).toEqual({ statusCode: 200, body: '' });
  });

  test.each(['query', 'put', 'send'] as const)(
    'responds 503 when %s fails, so that Slack retries',
    async (fail) => {
      const { handle, effects, records } = front({ fail });
      const reply = mention({ type: 'message', text: 'x', thread_ts: ROOT });
      expect(await handle(signed(fail === 'query' ? reply : mention()))).toEqual({
        statusCode: 503,
        body: '',
      });
      expect(records().filter(({ open }) => open?.S === 'unsent')).toHaveLength(fail === 'send' ? 1 : 0);
      expect(effects.log.join()).toContain('NotAcceptedError');
      expect(effects.log.join()).not.toContain('secret in its words');
    },
  );

  test('logs the code of AWS for a request that could not be recorded', async () => {
    const throttled = new AwsError('DynamoDB_20120810.PutItem', 400, 'ThrottlingException');
    const { handle, effects } = front({
      turnOf: (name) => (name === 'put' ? Promise.reject(throttled) : Promise.resolve()),
    });
    expect(await handle(signed(mention()))).toMatchObject({ statusCode: 503 });
    const failures = effects.log.filter((line) => line.includes('slack.request-failed'));
    expect(failures.map((line): unknown => JSON.parse(line))).toEqual([
      {
        event: 'slack.request-failed',
        status: 503,
        error: 'NotAcceptedError',
        code: 'ThrottlingException',
        reason: 'AwsError',
      },
    ]);
  });
});

describe('the Slack front, for a signed request that needs no work', () => {
  test.each([
    ['a message that does not concern the bot', mention({ type: 'message', text: 'lunch?' })],
    ['an event without a listener', mention({ type: 'reaction_added' })],
    [
      'a revoked token, also that of the bot, which is how a leaked one is replaced',
      mention({ type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: ['UBOT'] } }),
    ],
    ['an unknown type', { type: 'app_rate_limited', team_id: 'T1' }],
    [
      'an action of another app',
      { type: 'block_actions', user: { id: 'U1', team_id: 'T1' }, actions: [{ action_id: 'a' }] },
    ],
    ['a closed view', { type: 'view_closed', user: { id: 'U1' }, team: { id: 'T1' }, view: {} }],
  ])('responds 200 to %s and calls nothing', async (_, body) => {
    const { handle, effects } = front();
    expect(await handle(signed(body))).toEqual({ statusCode: 200, body: '' });
    expect(effects.io).toBe(0);
  });

  test('responds 200 to an incomplete command and to ssl_check', async () => {
    const { handle } = front();
    const form = { type: 'application/x-www-form-urlencoded' };
    expect(await handle(signed('command=%2Fask&team_id=T1', form))).toEqual({ statusCode: 200, body: '' });
    expect(await handle(signed('ssl_check=1&token=x', { ...form, base64: true }))).toEqual({
      statusCode: 200,
      body: '',
    });
  });

  test('responds to url_verification with the challenge', async () => {
    const { handle } = front();
    expect(await handle(signed({ type: 'url_verification', challenge: 'abc' }))).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"challenge":"abc"}',
    });
  });
});

describe('the Slack front, for an invalid request', () => {
  test.each<[string, string | object | Buffer, string?]>([
    ['a body that is not JSON', '{'],
    ['an empty body', ''],
    ['an array', '[]'],
    ['a number', '5'],
    ['null', 'null'],
    ['no type', '{}'],
    ['a type that is not a string', { type: 5 }],
    ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an event that is not an object', { type: 'event_callback', event: 'x' }],
    ['no event', { type: 'event_callback' }],
    ['an authorization that is null', mention({}, { authorizations: [null] })],
    ['a text that is not a string', mention({ text: 5 })],
    ['a channel that is null', mention({ channel: null })],
    ['an id with the separator of keys', mention({ ts: 'a#b' })],
    ['a challenge that is not a string', { type: 'url_verification', challenge: 5 }],
    ['an action without a user', { type: 'block_actions', actions: [] }],
    ['a form without a known field', 'a=b', 'application/x-www-form-urlencoded'],
    ['a payload that is not JSON', 'payload=%7B', 'application/x-www-form-urlencoded'],
    ['another content type', '{"type":"url_verification","challenge":"x"}', 'text/plain'],
  ])('responds 400 to %s', async (...[, body, type]) => {
    const { handle, effects } = front();
    expect(await handle(signed(body, { base64: true, ...(type && { type }) }))).toEqual({
      statusCode: 400,
      body: '',
    });
    expect(effects.io).toBe(0);
  });

  test('responds 413 to more than 1 MiB, signed or not, and accepts exactly 1 MiB', async () => {
    const { handle } = front();
    const limit = 1024 * 1024;
    expect(await handle(signed(Buffer.alloc(limit + 1, 32)))).toMatchObject({ statusCode: 413 });
    expect(await handle(signed(Buffer.alloc(limit + 1, 32), { base64: true }))).toMatchObject({
      statusCode: 413,
    });
    expect(await handle({ headers: {}, body: 'x'.repeat(limit + 1) })).toMatchObject({ statusCode: 413 });
    expect(await handle(signed(Buffer.alloc(limit, 32), { base64: true }))).toMatchObject({
      statusCode: 400,
    });
  });

  test.each([
    ['signed with another secret', signed(mention(), { secret: 'other' })],
    ['signed too long ago', signed(mention(), { at: NOW - 301_000 })],
    ['signed in the future', signed(mention(), { at: NOW + 301_000 })],
    [
      'with the signature twice',
      signed(mention(), { headers: { 'X-Slack-Signature': `v0=${'0'.repeat(64)}` } }),
    ],
    ['without a signature', { headers: {}, body: JSON.stringify(mention()) }],
    [
      'that is an unsigned url_verification',
      { headers: {}, body: '{"type":"url_verification","challenge":"x"}' },
    ],
    ['that is an unsigned ssl_check', { headers: {}, body: 'ssl_check=1' }],
    ['without headers', { headers: null, body: '{' }],
    ['that is undefined', undefined],
  ])('responds 401 to a request %s and calls nothing', async (_, event) => {
    const { handle, effects } = front();
    expect(await handle(event)).toEqual({ statusCode: 401, body: '' });
    expect(effects).toMatchObject({ io: 0, log: [] });
  });

  test('responds 401 while no signing secret is loaded', async () => {
    const { handle } = front({ secrets: () => Promise.resolve([]) });
    expect(await handle(signed(mention()))).toMatchObject({ statusCode: 401 });
  });

  test('does not read the secrets without a well-formed signature', async () => {
    const { handle } = front({ secrets: () => Promise.reject(new Error('asked')) });
    expect(await handle({ headers: {}, body: '{}' })).toMatchObject({ statusCode: 401 });
  });
});

test('the Slack front responds 401 or 413 to any unsigned request and calls nothing', async () => {
  const { handle, effects } = front();
  const name = fc.constantFrom('x-slack-signature', 'X-Slack-Request-Timestamp', 'content-type', '__proto__');
  const value = fc.oneof(
    fc.string(),
    fc.constant(String(NOW / 1000)),
    fc.stringMatching(/^v0=[0-9a-f]{64}$/),
    fc.constant('application/x-www-form-urlencoded'),
    fc.anything(),
  );
  const body = fc.oneof(fc.string(), fc.json(), fc.constant('ssl_check=1'), fc.anything());
  const event = fc.oneof(
    fc.record({
      headers: fc.dictionary(name, value),
      body,
      isBase64Encoded: fc.oneof(fc.boolean(), fc.anything()),
    }),
    fc.record({ headers: fc.anything(), body }),
    fc.anything(),
  );
  await fc.assert(
    fc.asyncProperty(event, async (sent) => {
      const { statusCode } = await handle(sent);
      expect([401, 413]).toContain(statusCode);
    }),
    { numRuns: 1000 },
  );
  expect(effects).toMatchObject({ io: 0, log: [] });
});

test('the Slack front never responds 5xx to a signed request while table and queue work', async () => {
  const { handle } = front();
  const part = fc.oneof(fc.anything(), fc.constantFrom<unknown>({ id: 'x' }, [], [{}], null, 'T1'));
  const keys = [
    'type',
    'event',
    'authorizations',
    'command',
    'team_id',
    'user',
    'team',
    'view',
    'actions',
    'name',
    'channel',
    'ssl_check',
  ];
  const types = fc.constantFrom(
    'event_callback',
    'block_actions',
    'view_submission',
    'shortcut',
    'message_action',
    'block_suggestion',
  );
  const events = fc.record({
    type: fc.constantFrom('message', 'app_mention', 'x'),
    channel: part,
    item: part,
    text: part,
    ts: part,
  });
  const body = fc
    .tuple(fc.dictionary(fc.constantFrom(...keys), part), types, fc.oneof(part, events))
    .map(([rest, type, event]) => ({ ...rest, type, event }));
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const { statusCode } = await handle(signed(JSON.stringify(sent) ?? ''));
      expect(statusCode).toBeLessThan(500);
    }),
    { numRuns: 500 },
  );
});
