import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { createRequestDelay } from '../../../../infra/local/emulator/dynamodb/request-delay.ts';
import { listMachineFaults } from '../../../../infra/local/faults/machine-faults.ts';
import { listModelFaults } from '../../../../infra/local/faults/model-faults.ts';
import { listPlatformFaults } from '../../../../infra/local/faults/platform-faults.ts';
import type { Fault } from '../../../../infra/local/faults/fault-switches.ts';
import { closeServer, listen } from '../../../../infra/local/listen.ts';
import { startDiscordSimulator } from '../../../simulators/discord/index.ts';
import { startSlackSimulator } from '../../../simulators/slack/index.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../../simulators/upstream/index.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function faultOf(faults: readonly Fault[], name: string): Fault {
  const fault = faults.find((one) => one.name === name);
  if (!fault) throw new Error(`there is no fault ${name}`);
  return fault;
}

describe('with simulated models', () => {
  let models: UpstreamSimulator;
  beforeEach(async () => {
    models = await startUpstreamSimulator({ paceMs: 0, seed: 1 });
    closing.push(() => models.close());
  });

  /** The status of a chat completion; `broken` if its stream ends early. */
  async function ask(): Promise<number | 'broken'> {
    const response = await fetch(`${models.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${models.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'vendor-edge-2603',
        stream: true,
        messages: [{ role: 'user', content: '[[sim:tokens=30]]' }],
      }),
    });
    const content = await response.text().catch(() => 'broken');
    return content === 'broken' ? 'broken' : response.status;
  }

  test.each([
    ['models-full', [503, 503, 503]],
    ['cut-streams', ['broken', 'broken', 'broken']],
  ])('%s happens to every request until it ends', async (name, expected) => {
    const end = faultOf(listModelFaults(models), name).begin();
    expect([await ask(), await ask(), await ask()]).toEqual(expected);
    end();
    expect(await ask()).toBe(200);
  });

  test('rate-limits rejects most requests until it ends', async () => {
    const end = faultOf(listModelFaults(models), 'rate-limits').begin();
    const statuses = await Promise.all(Array.from({ length: 20 }, ask));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
    expect(statuses).toContain(200);
    end();
    expect(await ask()).toBe(200);
  });

  test('lost-callbacks sends none, and restores the former setting', () => {
    models.control.change({ webhookSent: 'late' });
    const end = faultOf(listModelFaults(models), 'lost-callbacks').begin();
    expect(models.control.settings().webhookSent).toBe('never');
    end();
    expect(models.control.settings().webhookSent).toBe('late');
  });
});

test('with real services the faults of simulators are unavailable, and say why', () => {
  const faults = [
    ...listModelFaults(undefined),
    ...listPlatformFaults({ slack: undefined, discord: undefined }),
  ];
  expect(faults.map(({ unavailable }) => unavailable)).toEqual([
    ...Array.from({ length: 4 }, () => expect.stringContaining('The models are real')),
    ...Array.from({ length: 2 }, () => expect.stringContaining('Slack and Discord are real')),
  ]);
});

describe('with simulated platforms', () => {
  test('platform-limits rejects each request until it ends', async () => {
    const slack = await startSlackSimulator();
    const discord = await startDiscordSimulator();
    closing.push(
      () => slack.close(),
      () => discord.close(),
    );
    const end = faultOf(listPlatformFaults({ slack, discord }), 'platform-limits').begin();
    const statuses = async () => [
      (await fetch(`${slack.apiUrl}auth.test`, { method: 'POST' })).status,
      (await fetch(`${discord.apiUrl}/users/@me`)).status,
    ];
    expect([await statuses(), await statuses()]).toEqual([
      [429, 429],
      [429, 429],
    ]);
    end();
    expect(await statuses()).toEqual([200, 401]);
  });

  test('duplicate-events delivers a message of Slack three times and one of Discord twice', async () => {
    const bodies: string[] = [];
    const app = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      request.on('end', () => response.end());
    });
    const url = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
    closing.push(() => closeServer(app, 0));
    const slack = await startSlackSimulator({ deliverTo: url });
    const discord = await startDiscordSimulator();
    closing.push(
      () => slack.close(),
      () => discord.close(),
    );
    const dispatches: string[] = [];
    discord.core.onDispatch(({ t }) => void dispatches.push(t));
    const say = async () => {
      bodies.splice(0);
      dispatches.splice(0);
      await slack.say('ada', 'hello');
      discord.say('ada', undefined, 'hello');
      await slack.delivery.idle();
      return [bodies.length, dispatches.filter((one) => one === 'MESSAGE_CREATE').length];
    };
    const [events] = await say();
    const end = faultOf(listPlatformFaults({ slack, discord }), 'duplicate-events').begin();
    expect(await say()).toEqual([3 * (events ?? 0), 2]);
    end();
    expect(await say()).toEqual([events, 1]);
  });
});

describe('of the machine', () => {
  const source = { queueArn: '', batchSize: 1, concurrency: 1, partialFailures: true };
  const sources = [
    'Tasks0BA6A452.fifo',
    'TasksAloneD6738370.fifo',
    'TasksDead8F46FAD9.fifo',
    'RecordingsA3BDCC51.fifo',
  ];

  test('killed-worker kills the function that takes tasks, again and again until it ends, and reports each kill', async () => {
    let reports = 0;
    const killed: string[] = [];
    let repeat: (() => void) | undefined;
    const resources = {
      eventSources: sources.map((queue) => ({ ...source, queue, functionId: `of ${queue}` })),
    };
    const faults = listMachineFaults(
      {
        resources,
        killFunction: (id) => Promise.resolve(killed.push(id) === 1),
        setTableDelay: () => undefined,
      },
      (firstMs, intervalMs, action) => {
        expect([firstMs, intervalMs]).toEqual([1_000, 15_000]);
        repeat = action;
        return () => (repeat = undefined);
      },
      () => void (reports += 1),
    );
    const end = faultOf(faults, 'killed-worker').begin();
    repeat?.();
    repeat?.();
    expect(killed).toEqual(['of Tasks0BA6A452.fifo', 'of Tasks0BA6A452.fifo']);
    await Promise.resolve();
    expect(reports).toBe(1);
    end();
    expect(repeat).toBeUndefined();
  });

  test('slow-tables delays the requests of functions, and no others', async () => {
    const delay = createRequestDelay();
    let handled = 0;
    const server: Server = createServer((_request, response) => {
      handled += 1;
      response.end('done');
    });
    delay.apply(server);
    const url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
    closing.push(() => closeServer(server, 0));
    const send = (name: string) =>
      fetch(url, { headers: { authorization: `AWS4-HMAC-SHA256 Credential=${name}, SignedHeaders=host` } });
    delay.set(60_000);
    const waiting = send('LOCAL123/20260101/us-east-1').then(
      () => 'answered',
      () => 'cut',
    );
    expect(await (await send('local')).text()).toBe('done');
    expect(handled).toBe(1);
    delay.set(0);
    expect(await (await send('LOCAL123/20260101/us-east-1')).text()).toBe('done');
    expect(handled).toBe(2);
    server.closeAllConnections();
    expect(await waiting).toBe('cut');
  });
});
