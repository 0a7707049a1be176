import { expect, test } from '@jest/globals';
import { createDiscordEventHandler } from '../../functions/composition/discord/webhook-events.ts';
import { parseTask } from '../../shared/domain/index.ts';
import { applicationKeys } from '../platforms/discord/keys.ts';
import { NOW_S } from './discord.ts';

const quiet = (): void => undefined;

function harness() {
  const keys = applicationKeys();
  const sent: { readonly body: string; readonly dedup: string }[] = [];
  const broken = { queue: false };
  const front = createDiscordEventHandler({
    publicKey: keys.publicKey,
    queue: {
      send: async (body, _, dedup) => {
        if (broken.queue) throw new Error('no queue');
        sent.push({ body, dedup });
      },
    },
    now: () => NOW_S * 1000,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const post = (payload: object, headers?: Record<string, string>) => {
    const body = JSON.stringify(payload);
    return front({ headers: headers ?? keys.headers(body, NOW_S), body, isBase64Encoded: false });
  };
  return { post, sent, broken };
}

const event = (type: string, more: object = {}): object => ({
  version: 1,
  application_id: '11',
  type: 1,
  event: { type, timestamp: '2026-10-18T14:42:53.064834', data: { user: { id: '41' }, ...more } },
});
const NOTHING = { statusCode: 204, body: '' };

test('a PING gets a 204 without a body, unlike that of interactions', async () => {
  const { post, sent } = harness();
  expect(await post({ version: 1, application_id: '11', type: 0 })).toEqual(NOTHING);
  expect(sent).toEqual([]);
});

test('a person who removes the app is erased on all of Discord; a redelivery is the same task', async () => {
  const { post, sent } = harness();
  for (let i = 0; i < 2; i += 1) expect(await post(event('APPLICATION_DEAUTHORIZED'))).toEqual(NOTHING);
  expect(parseTask(sent[0]?.body ?? '')).toMatchObject({
    kind: 'erase',
    thread: { platform: 'discord', workspace: '@me' },
    scope: { kind: 'person', user: '41', everywhere: true },
  });
  expect(new Set(sent.map(({ dedup }) => dedup)).size).toBe(1);
});

test.each([
  ['the app was authorized', event('APPLICATION_AUTHORIZED', { guild: { id: '21' }, scopes: [] })],
  ['something was bought', event('ENTITLEMENT_CREATE')],
  ['the user is missing', event('APPLICATION_DEAUTHORIZED', { user: {} })],
  ['the event is missing', { type: 1 }],
])('nothing is done when %s', async (_, payload) => {
  const { post, sent } = harness();
  expect(await post(payload)).toEqual(NOTHING);
  expect(sent).toEqual([]);
});

test('a request without a valid Discord signature is rejected', async () => {
  const { post, sent } = harness();
  const headers = { 'x-signature-ed25519': '00'.repeat(64), 'x-signature-timestamp': String(NOW_S) };
  expect((await post(event('APPLICATION_DEAUTHORIZED'), headers)).statusCode).toBe(401);
  expect(sent).toEqual([]);
});

test('while the queue fails Discord is asked to retry', async () => {
  const { post, broken } = harness();
  broken.queue = true;
  expect((await post(event('APPLICATION_DEAUTHORIZED'))).statusCode).toBe(503);
});
