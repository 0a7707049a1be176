import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { sign, slackJson } from './delivery.ts';
import { readBody } from './http.ts';
import type { SlackSimulator } from './index.ts';
import { createManualClock } from '../manual-clock.ts';
import { type SlackSimulatorOptions, startSlackSimulator } from './server.ts';
import { stringOf } from './state.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const envelopeShape = v.object({ event_id: v.string(), event: v.object({ type: v.string() }) });
type Received = { id: string; type: string; path: string; body: string; headers: IncomingMessage['headers'] };
type Answer = number | 'never' | 'no-retry';

/** An app that records its requests and responds as configured, finally 200. */
async function startApp(answers: Answer[] = []) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const body = (await readBody(request)) ?? '';
      const { event_id: id, event } = /^(?:payload|command)=|&command=/.test(body)
        ? { event_id: '', event: { type: 'press' } }
        : v.parse(envelopeShape, JSON.parse(body));
      const path = request.url ?? '';
      received.push({ id, type: event.type, path, body, headers: request.headers });
      const answer = answers.shift() ?? 200;
      if (answer === 'no-retry') response.writeHead(500, { 'x-slack-no-retry': '1' }).end();
      else if (answer !== 'never') response.writeHead(answer).end();
      for (const wake of waiting.splice(0)) wake();
    };
    void take();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const got = async (count: number): Promise<Received[]> => {
    while (received.length < count) await new Promise<void>((resolve) => void waiting.push(resolve));
    return received;
  };
  const origin = `http://127.0.0.1:${port}`;
  return { origin, url: `${origin}/slack/events`, received, got };
}

async function startBoth(answers: Answer[], options: SlackSimulatorOptions = {}) {
  const app = await startApp(answers);
  const clock = createManualClock();
  const simulator = await startSlackSimulator({
    clock: clock.now,
    after: clock.after,
    deliverTo: app.url,
    ...options,
  });
  closing.push(() => simulator.close());
  return { app, clock, simulator };
}

test("a signature equals Slack's documented example", () => {
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  expect(sign('8f742231b10e8888abcd99yyyzzz85a5', 1_531_420_618, body)).toBe(
    'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  );
});

test('JSON is plain ASCII and means the same', () => {
  const value = { text: 'https://a/ö 👋\u2028"\n' };
  const written = slackJson(value);
  expect(written).toMatch(/^[ -~]+$/);
  expect(written).toContain(String.raw`https:\/\/a\/\u00f6 \ud83d\udc4b\u2028`);
  expect(JSON.parse(written)).toEqual(value);
});

describe('request URLs', () => {
  test('are those of the manifest; a request type without a URL is not sent', async () => {
    const { app, simulator } = await startBoth([]);
    simulator.setDeliverTo({ events: `${app.origin}/events`, interactivity: `${app.origin}/pressed` });
    expect(await simulator.command('ada', '/parley help')).toEqual({
      acknowledged: false,
      reason: 'connection_failed',
    });
    simulator.setDeliverTo({ commands: { '/parley': `${app.origin}/command` } });
    expect(await simulator.command('ada', '/parley help')).toEqual({ acknowledged: true });
    expect(await simulator.command('ada', '/other help')).toMatchObject({ acknowledged: false });
    await simulator.say('ada', '@parley hello');
    await simulator.delivery.idle();
    expect(app.received.map(({ path }) => path)).toEqual(['/command']);
    simulator.setDeliverTo({ events: `${app.origin}/events` });
    const [, first] = await app.got(2);
    expect(first?.path).toBe('/events');
  });
});

describe('events', () => {
  test('are signed, one for the mention and one for the message', async () => {
    const { app, clock, simulator } = await startBoth([]);
    await simulator.say('ada', '@parley grüß dich');
    const [first, second] = await app.got(2);
    expect(new Set([first?.type, second?.type])).toEqual(new Set(['app_mention', 'message']));
    const stamp = Math.floor(clock.now() / 1000);
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(stamp),
      'x-slack-signature': sign(simulator.signingSecret, stamp, first?.body ?? ''),
    });
    expect(first?.headers).not.toHaveProperty('x-slack-retry-num');
    await simulator.delivery.idle();
    expect(clock.waiting()).toBe(0);
  });

  test('are retried at once, after a minute and after five, then no more', async () => {
    const { app, clock, simulator } = await startBoth([500, 404, 500, 500]);
    await simulator.say('ada', 'hello', { channel: 'dm' });
    await app.got(2);
    await simulator.delivery.idle();
    expect(app.received).toHaveLength(2);
    clock.advance(60_000);
    await app.got(3);
    await simulator.delivery.idle();
    clock.advance(299_999);
    expect(app.received).toHaveLength(3);
    clock.advance(1);
    await app.got(4);
    await simulator.delivery.idle();
    clock.advance(3_600_000);
    await simulator.delivery.idle();
    expect(app.received.map((one) => one.headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
    expect(app.received[3]?.headers['x-slack-retry-reason']).toBe('http_error');
    expect(new Set(app.received.map((one) => one.id)).size).toBe(1);
  });

  test('are retried when the response takes longer than three seconds', async () => {
    const { app, clock, simulator } = await startBoth(['never']);
    await simulator.say('ada', 'hello', { channel: 'dm' });
    await app.got(1);
    clock.advance(2_999);
    expect(app.received).toHaveLength(1);
    clock.advance(1);
    const [, again] = await app.got(2);
    expect(again?.headers['x-slack-retry-reason']).toBe('http_timeout');
  });

  test('are not retried when the app asks for that', async () => {
    const { app, clock, simulator } = await startBoth(['no-retry']);
    await simulator.say('ada', 'hello', { channel: 'dm' });
    await app.got(1);
    await simulator.delivery.idle();
    clock.advance(3_600_000);
    await simulator.delivery.idle();
    expect(app.received).toHaveLength(1);
  });

  test('are retried while no app listens', async () => {
    const failures: unknown[] = [];
    const { app, clock, simulator } = await startBoth([], {
      deliverTo: 'http://127.0.0.1:1/',
      onFailure: (failure) => failures.push(failure.reason),
    });
    await simulator.say('ada', 'hello', { channel: 'dm' });
    await simulator.delivery.idle();
    expect(failures).toEqual(['connection_failed', 'connection_failed']);
    simulator.setDeliverTo(app.url);
    clock.advance(60_000);
    await app.got(1);
  });

  test('can be duplicated, delayed and reordered', async () => {
    const { app, simulator } = await startBoth([], { copies: 2 });
    simulator.delivery.hold();
    const first = await simulator.say('ada', 'first', { channel: 'dm' });
    const second = await simulator.say('ada', 'second', { channel: 'dm' });
    expect(app.received).toHaveLength(0);
    simulator.delivery.release('reversed');
    const bodies = (await app.got(4)).map((one) => one.body);
    for (const ts of [first, second])
      expect(bodies.filter((body) => body.includes(`"ts":"${ts}"`))).toHaveLength(2);
    expect(new Set(app.received.map((one) => one.id)).size).toBe(2);
  });

  test('that were not accepted are sent again after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-slack-'));
    closing.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'workspace.jsonl');
    const first = await startSlackSimulator({ file });
    await first.say('ada', 'are you there?', { channel: 'dm' });
    await first.close();
    const { app, simulator } = await startBoth([], { file });
    expect((await app.got(1))[0]?.body).toContain('are you there?');
    await simulator.delivery.idle();
    await simulator.close();
    const third = await startSlackSimulator({ file, deliverTo: app.url });
    closing.push(() => third.close());
    await third.delivery.idle();
    expect(app.received).toHaveLength(1);
  });
});

const payloadOf = (body: string): unknown => JSON.parse(new URLSearchParams(body).get('payload') ?? '');

describe('clicks', () => {
  const BLOCKS = [
    {
      type: 'actions',
      elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go – é' } }],
    },
  ];
  const message = (simulator: SlackSimulator): string => {
    const { channel, core, botToken } = simulator;
    const posted = core.call('chat.postMessage', { channel, text: 'x', blocks: BLOCKS }, botToken);
    return stringOf(posted['ts']);
  };
  const only = { identity: { subscriptions: [] } };

  test('arrive as signed forms with a response_url', async () => {
    const { app, clock, simulator } = await startBoth([], only);
    expect(await simulator.press('ada', message(simulator), 'Go – é')).toEqual({ acknowledged: true });
    const [press] = await app.got(1);
    const stamp = Math.floor(clock.now() / 1000);
    expect(press?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-signature': sign(simulator.signingSecret, stamp, press?.body ?? ''),
    });
    expect(press?.body).toMatch(/^payload=[\w%.*+-]+$/);
    const payload = v.parse(v.object({ response_url: v.string() }), payloadOf(press?.body ?? ''));
    const answer = (body: object): Promise<Response> =>
      fetch(payload.response_url, { method: 'POST', body: JSON.stringify(body) });
    expect((await answer({ text: 'psst' })).status).toBe(200);
    const lastMessage = [...(simulator.core.state.messages.get(simulator.channel)?.values() ?? [])].at(-1);
    expect(lastMessage).toMatchObject({ text: 'psst', ephemeralTo: 'U0ADA00000' });
    const empty = await answer({});
    expect([empty.status, await empty.json()]).toEqual([200, { ok: false, error: 'no_text' }]);
    const wrong = await fetch(`${payload.response_url}0`, { method: 'POST', body: '{"text":"x"}' });
    expect([wrong.status, await wrong.json()]).toEqual([404, { ok: false, error: 'expired_url' }]);
    expect(simulator.calls.map(({ method, outcome }) => [method, outcome])).toEqual([
      ['response_url', 'ok'],
      ['response_url', 'no_text'],
      ['response_url', 'expired_url'],
    ]);
  });

  test('arrive once, and the person sees when they are not accepted', async () => {
    const { app, clock, simulator } = await startBoth([500, 'never'], only);
    const ts = message(simulator);
    expect(await simulator.press('ada', ts, 'go')).toEqual({ acknowledged: false, reason: 'http_error' });
    const late = simulator.press('ada', ts, 'go');
    await app.got(2);
    clock.advance(3_000);
    expect(await late).toEqual({ acknowledged: false, reason: 'http_timeout' });
    simulator.setDeliverTo(undefined);
    expect(await simulator.press('ada', ts, 'go')).toEqual({
      acknowledged: false,
      reason: 'connection_failed',
    });
    clock.advance(3_600_000);
    await simulator.delivery.idle();
    expect(app.received).toHaveLength(2);
    await expect(simulator.press('ada', ts, 'no such')).rejects.toThrow('No such button');
  });
});
