import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { integrationUser, parseTask, serializeTask, userId } from '../../shared/domain/index.ts';
import {
  type IntegrationsContext,
  MAX_WEBHOOK_FAILURES,
  nextRetryMs,
  signWebhook,
} from '../../shared/integrations/index.ts';
import type { ToolClientRequest, ToolClientResponse } from '../../shared/mcp/protocol.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { TestTime } from '../upstream/time.ts';
import { ALERTS, apiHarness, DEPLOY_BOT, KEY, PLACE, readObject } from './api-harness.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const URL = 'https://hooks.example.com/parley';
type Delivery = Extract<ToolClientRequest, { kind: 'webhook' }>;

/** An integration with a webhook, and a receiver that responds with these statuses, one after the other; or why it does not. */
async function webhookHarness(
  statuses: readonly (number | 'unreachable' | 'unavailable')[] = [200],
  events: readonly ('answer' | 'feedback')[] = ['answer', 'feedback'],
  whileSent: (webhooks: IntegrationsContext['integrations']['webhooks']) => Promise<void> = async () =>
    undefined,
) {
  const received: Delivery[] = [];
  const request = async (sent: ToolClientRequest): Promise<ToolClientResponse> => {
    if (sent.kind !== 'webhook') throw new Error(`not a webhook: ${sent.kind}`);
    received.push(sent);
    await whileSent(webhooks);
    const status = statuses[Math.min(received.length, statuses.length) - 1] ?? 200;
    return typeof status === 'number'
      ? { kind: 'delivered', status }
      : { kind: 'failed', reason: status, mayHaveRun: true };
  };
  const at = await apiHarness(undefined, { toolServers: { ...toolServersIn(new TestTime()), request } });
  const { webhooks } = at.context.integrations;
  await webhooks.save(PLACE, DEPLOY_BOT.id, { url: URL, events, by: userId('U9') }, SECRET);
  return { ...at, webhooks, received, bodies: () => received.map(({ body }) => readObject(body)) };
}

test('the answer to a question of an integration is sent to it, signed', async () => {
  const at = await webhookHarness();
  const { answer } = await at.ask({ question: 'What?' });
  await at.work();
  expect(at.bodies()).toEqual([
    {
      type: 'answer.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u),
      data: { ...answer, integration: { id: DEPLOY_BOT.id, name: 'deploy-bot' } },
    },
  ]);
  const [sent] = at.received;
  const headers = sent?.headers;
  const signed = `${headers?.['webhook-id']}.${headers?.['webhook-timestamp']}.${sent?.body}`;
  const signature = createHmac('sha256', Buffer.alloc(32, 5)).update(signed).digest('base64');
  expect(headers?.['webhook-signature']).toBe(`v1,${signature}`);
});

test('each integration gets webhooks with a signature of its own secret, which another one cannot forge', async () => {
  const at = await webhookHarness();
  const other = { ...DEPLOY_BOT, id: 'fedcba9876543210', name: 'other' };
  const key = KEY.replace(DEPLOY_BOT.id, other.id);
  await at.integrations.add(PLACE, other, key, 'setup');
  const hook = { url: `${URL}/other`, events: ['answer'], by: userId('U9') } as const;
  await at.webhooks.save(PLACE, other.id, hook, `whsec_${Buffer.alloc(32, 6).toString('base64')}`);
  await at.ask({ question: 'What?' });
  await at.send({ key, body: { question: 'Why?' } });
  await at.work();
  const signers = at.received.map(({ url, headers, body }) => [
    url,
    [5, 6].filter((byte) => {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const own = createHmac('sha256', Buffer.alloc(32, byte)).update(signed).digest('base64');
      return headers['webhook-signature'] === `v1,${own}`;
    }),
  ]);
  expect(signers).toEqual([
    [URL, [5]],
    [`${URL}/other`, [6]],
  ]);
});

test('the signature is the one of the example of Standard Webhooks', () => {
  const headers = signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    atSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a rating is sent without the person who gave it; its id is that of the rating, however often and late its task is repeated', async () => {
  const at = await webhookHarness([200], ['feedback']);
  const { answer } = await at.ask({ question: 'Healthy?', channel: ALERTS });
  const { id, thread } = answer;
  const root = String(thread);
  const by = { user: userId('U7'), workspace: PLACE.workspace, roles: [] };
  const action = { name: 'feedback.rate', args: [root, root, 'good'] };
  const press = async (interaction: string, user = by.user) => {
    await at.call({
      id: interaction,
      ...PLACE,
      channel: ALERTS,
      by: { ...by, user },
      responseToken: 'token',
      tokenExpiresAtMs: at.time.now() + 60_000,
      payload: { kind: 'action', action, chosen: [] },
    });
    await at.work();
  };
  await press('press-1');
  expect(at.bodies()).toMatchObject([
    { type: 'feedback.given', data: { id, rating: 'good', channel: ALERTS } },
  ]);
  expect(at.received[0]?.body).not.toContain('U7');
  at.time.advance(301_000);
  await press('press-1');
  await press('press-2', userId('U8'));
  const [first, again, other] = at.received.map(({ headers }) => headers['webhook-id']);
  expect(again).toBe(first);
  expect(other).toMatch(/^msg_[\da-f]{32}$/u);
  expect(other).not.toBe(first);
});

test('what people ask is not sent, nor what the integration does not want', async () => {
  const at = await webhookHarness([200], ['feedback']);
  await at.ask({ question: 'What?' });
  await at.work();
  expect(at.received).toEqual([]);
});

describe('a question in a channel that is not asked there', () => {
  test('ends with a webhook that says why, which a repeated task sends with the same id', async () => {
    const at = await webhookHarness();
    const { answer } = await at.ask({ question: 'Healthy?', channel: ALERTS, wait: 0 });
    const task = at.queue.sent[0]?.body ?? '';
    await at.integrations.setChannels(PLACE, DEPLOY_BOT.id, { channels: [], privateChannels: [] });
    await at.work();
    const { id } = answer;
    const error = { code: 'channel_not_allowed' };
    expect(at.bodies()).toMatchObject([
      { type: 'answer.failed', data: { id, channel: ALERTS, status: 'failed', error } },
    ]);
    await at.dispatch(task);
    await at.work();
    expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(at.received).toHaveLength(2);
  });

  test.each([
    ['answer', [{ type: 'answer.failed', data: { error: { code: 'unavailable' } } }]],
    ['feedback', []],
  ] as const)('nor ever, because its task was given up: with events of %s', async (event, expected) => {
    const at = await webhookHarness([200], [event]);
    await at.ask({ question: 'Healthy?', channel: ALERTS, wait: 0 });
    const task = parseTask(at.queue.sent.shift()?.body ?? '');
    if (task?.kind !== 'integration-ask') throw new Error('no question of an integration');
    const recordings = NO_RECORDINGS;
    await handleDeadLetter(serializeTask({ ...task, round: 2 }), { ...at.context, recordings });
    await at.work();
    expect(at.bodies()).toMatchObject(expected);
  });
});

describe('a receiver that does not take it', () => {
  test('gets the same event again, with the same id, until it does', async () => {
    const at = await webhookHarness([500, 'unreachable', 204]);
    await at.ask({ question: 'What?', wait: 0 });
    const tasks: string[] = [];
    const once = async () => {
      const sent = at.queue.sent.shift() ?? { body: tasks.at(-1) ?? '' };
      tasks.push(sent.body);
      return at.dispatch(sent.body);
    };
    await once();
    expect(await once()).toMatchObject({ kind: 'later', afterMs: expect.any(Number) });
    at.time.advance(5_001);
    expect((await once()).kind).toBe('later');
    at.time.advance(30_001);
    expect((await once()).kind).toBe('done');
    expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await at.webhooks.find(PLACE, DEPLOY_BOT.id))?.failures).toBe(0);
  });

  const task = {
    v: 1,
    kind: 'webhook',
    thread: { ...PLACE, channel: ALERTS, root: '1700000000.000100' },
    message: '1700000000.000100',
    asker: integrationUser(DEPLOY_BOT),
    askerWorkspace: PLACE.workspace,
    event: 'feedback',
    good: false,
  };
  /** More last attempts than a receiver may miss. */
  async function failTooOften(at: Awaited<ReturnType<typeof webhookHarness>>): Promise<void> {
    for (let number = 0; number <= MAX_WEBHOOK_FAILURES; number += 1)
      await at.dispatch(JSON.stringify({ ...task, at: at.time.now() - 600_000 - number }));
  }

  test('is not to blame for what this deployment could not send', async () => {
    const at = await webhookHarness(['unavailable']);
    await failTooOften(at);
    expect(at.received.length).toBeGreaterThan(MAX_WEBHOOK_FAILURES);
    expect(await at.webhooks.find(PLACE, DEPLOY_BOT.id)).toMatchObject({ isOff: false, failures: 0 });
  });

  test('is turned off after ten events in a row, and its administrator told once', async () => {
    const at = await webhookHarness([500]);
    await failTooOften(at);
    expect(at.received).toHaveLength(MAX_WEBHOOK_FAILURES);
    expect((await at.webhooks.find(PLACE, DEPLOY_BOT.id))?.isOff).toBe(true);
    expect(at.messenger.directMessages.map(({ user }) => user)).toEqual(['U9']);
    // A new address turns it on again.
    await at.webhooks.save(PLACE, DEPLOY_BOT.id, { url: URL, events: ['answer'], by: userId('U9') }, SECRET);
    expect(await at.webhooks.find(PLACE, DEPLOY_BOT.id)).toMatchObject({ isOff: false, failures: 0 });
  });

  test('is turned off after ten events also if they end at the same time', async () => {
    const at = await webhookHarness([500]);
    const sent = Array.from({ length: MAX_WEBHOOK_FAILURES }, (_, n) =>
      at.dispatch(JSON.stringify({ ...task, at: at.time.now() - 600_000 - n })),
    );
    await Promise.all(sent);
    expect(await at.webhooks.find(PLACE, DEPLOY_BOT.id)).toMatchObject({ isOff: true });
    expect(at.messenger.directMessages.map(({ user }) => user)).toEqual(['U9']);
  });

  test('that is turned off again after it was set again is told again', async () => {
    const at = await webhookHarness([500]);
    await failTooOften(at);
    const hook = { url: URL, events: ['feedback'], by: userId('U9') } as const;
    await at.webhooks.save(PLACE, DEPLOY_BOT.id, hook, `whsec_${Buffer.alloc(32, 6).toString('base64')}`);
    await failTooOften(at);
    expect(at.messenger.directMessages.map(({ user }) => user)).toEqual(['U9', 'U9']);
  });

  test.each([410, 500])(
    'and was set again with the same address while a webhook was under way (%s) stays as it was set',
    async (status) => {
      const hook = { url: URL, events: ['feedback'], by: userId('U8') } as const;
      const secret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
      const at = await webhookHarness([status], undefined, (webhooks) =>
        webhooks.save(PLACE, DEPLOY_BOT.id, hook, secret),
      );
      await at.dispatch(JSON.stringify({ ...task, at: at.time.now() - 600_000 }));
      expect(at.received).toHaveLength(1);
      expect(await at.webhooks.find(PLACE, DEPLOY_BOT.id)).toMatchObject({
        isOff: false,
        failures: 0,
        by: 'U8',
      });
      expect(at.messenger.directMessages).toEqual([]);
    },
  );

  test('and took a webhook that was under way when it was turned off stays off, as its administrator was told', async () => {
    const at = await webhookHarness([500, 200], undefined, async (webhooks) => {
      const webhook = await webhooks.find(PLACE, DEPLOY_BOT.id);
      if (webhook && webhook.failures > 0) await webhooks.turnOff(PLACE, DEPLOY_BOT.id, webhook);
    });
    await at.dispatch(JSON.stringify({ ...task, at: at.time.now() - 600_000 }));
    expect(await at.webhooks.find(PLACE, DEPLOY_BOT.id)).toMatchObject({ isOff: false, failures: 1 });
    await at.dispatch(JSON.stringify({ ...task, at: at.time.now() }));
    expect(at.received).toHaveLength(2);
    expect((await at.webhooks.find(PLACE, DEPLOY_BOT.id))?.isOff).toBe(true);
  });

  test('and says 410 is turned off at once', async () => {
    const at = await webhookHarness([410]);
    await at.ask({ question: 'What?' });
    await at.work();
    expect(at.received).toHaveLength(1);
    expect((await at.webhooks.find(PLACE, DEPLOY_BOT.id))?.isOff).toBe(true);
  });
});

test('an answer that was erased meanwhile is not sent', async () => {
  const at = await webhookHarness();
  await at.ask({ question: 'What?', wait: 0 });
  const [ask] = at.queue.sent.splice(0);
  await at.dispatch(ask?.body ?? '');
  const [webhook] = at.queue.sent.splice(0);
  const task = parseTask(webhook?.body ?? '');
  if (!task) throw new Error('no task');
  await at.integrations.remove(PLACE, DEPLOY_BOT.id);
  expect(await at.dispatch(webhook?.body ?? '')).toEqual({ kind: 'done' });
  expect(at.received).toEqual([]);
});

test('all attempts are within the time that a task may wait', () => {
  const attempts: number[] = [];
  for (let elapsed = 0, wait = nextRetryMs(0); wait !== undefined; wait = nextRetryMs(elapsed))
    attempts.push((elapsed += wait));
  expect(attempts).toEqual([5_000, 30_000, 120_000, 300_000, 540_000]);
});
