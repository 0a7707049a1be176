import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDashboardServer, type FaultState, summarize } from '../../../infra/dashboard/index.ts';
import { NOON } from './data/records.ts';

const changes: unknown[] = [];
const FAULT: FaultState = {
  name: 'storm',
  title: 'Storm',
  effect: '',
  unavailable: undefined,
  until: undefined,
};
const server = createDashboardServer({
  source: {
    read: (rangeMs) => {
      changes.push(['read', rangeMs]);
      const nothing = { accounts: [], isComplete: true };
      return Promise.resolve(
        summarize(
          {
            system: 'this machine',
            refreshMs: 3_000,
            minStepMs: 1_000,
            alarms: undefined,
            measured: undefined,
            notes: [],
            unread: [],
            records: [],
            accounts: nothing,
            firstDay: '2026-11-23',
            limits: { limits: [], breakers: [] },
            queues: [],
            queueHistory: [],
            nameOf: () => undefined,
            hasAccounts: false,
          },
          NOON,
          rangeMs,
        ),
      );
    },
    findMessage: async (trace) => {
      if (trace === 'damaged') throw new Error('the log is damaged');
      return undefined;
    },
  },
  whereToLook: 'The log says why.',
  reportError: (error) => changes.push(['error', String(error)]),
  faults: {
    list: () => [FAULT],
    start: (name, ms) => changes.push(['start', name, ms]) > 0 && name === 'storm',
    stop: (name) => changes.push(['stop', name]) > 0 && name === 'storm',
  },
});
let port: number;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
beforeEach(() => void changes.splice(0));
afterAll(() => void server.close());

/** Sends exactly this request: `fetch` changes paths and sets its own host. */
async function send(
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  sent.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
const JSON_BODY = { 'content-type': 'application/json' };
const post = (content: unknown, headers: Record<string, string> = {}) => {
  const body = JSON.stringify(content);
  return send(
    '/faults',
    { ...JSON_BODY, 'content-length': String(Buffer.byteLength(body)), ...headers },
    body,
  );
};

describe('the page', () => {
  test.each(['/', '/dashboard.js', '/dashboard.css', '/uplot.js', '/uplot.css', '/icon.svg'])(
    '%s is served with a policy that allows only its own files',
    async (path) => {
      const { status, headers, body } = await send(path);
      expect(status).toBe(200);
      expect(body.length).toBeGreaterThan(100);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );

  test.each([
    '/../server.ts',
    '/..%2fserver.ts',
    '/page/index.html',
    '/README.md',
    '/none.js',
    '//etc/passwd',
  ])('%s does not exist', async (path) => {
    expect((await send(path)).status).toBe(404);
  });
});

describe('the data', () => {
  test('is of the given number of minutes, with the faults', async () => {
    const { status, body } = await send('/data?minutes=15');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ at: NOON, stepMs: 15_000, faults: [{ name: 'storm' }] });
    expect(changes).toEqual([['read', 900_000]]);
  });

  test.each(['0', '-1', '1e9', 'x', '1.5', '10081'])('is refused for %s minutes', async (minutes) => {
    expect((await send(`/data?minutes=${minutes}`)).status).toBe(400);
    expect(changes).toEqual([]);
  });

  test('that cannot be read is reported, and the response says where the reason is', async () => {
    const { status, body } = await send('/message?trace=damaged');
    expect(status).toBe(500);
    expect(body).toContain('The log says why.');
    expect(body).not.toContain('damaged');
    expect(changes).toEqual([['error', 'Error: the log is damaged']]);
  });

  test('of an unknown message is 404', async () => {
    expect((await send('/message?trace=x')).status).toBe(404);
  });
});

describe('another site', () => {
  test.each(['attacker.example', 'attacker.example:80', '127.0.0.1.nip.example', '10.0.0.1'])(
    'with the host name %j gets nothing',
    async (host) => {
      for (const path of ['/', '/data', '/message?trace=x']) {
        const { status, body } = await send(path, { host });
        expect(status).toBe(421);
        expect(body).not.toContain('steps');
      }
    },
  );

  test('with its origin gets nothing and changes nothing', async () => {
    const origin = 'https://attacker.example';
    expect((await send('/data', { origin })).status).toBe(403);
    expect((await post({ name: 'storm', seconds: 30 }, { origin })).status).toBe(403);
    expect(changes).toEqual([]);
  });

  test('cannot send a form', async () => {
    const form = { 'content-type': 'text/plain' };
    expect((await post({ name: 'storm', seconds: 30 }, form)).status).toBe(415);
    expect(changes).toEqual([]);
  });
});

describe('a fault', () => {
  test('is switched on for a time, and off', async () => {
    expect((await post({ name: 'storm', seconds: 30 })).status).toBe(200);
    expect((await post({ name: 'storm', seconds: 0 })).status).toBe(200);
    expect(changes).toEqual([
      ['start', 'storm', 30_000],
      ['stop', 'storm'],
    ]);
  });

  test('that is unknown is 404', async () => {
    expect((await post({ name: 'flood', seconds: 30 })).status).toBe(404);
  });

  test.each([
    { name: 'storm' },
    { name: 'storm', seconds: 3_601 },
    { name: 'storm', seconds: -1 },
    { seconds: 1 },
    [],
  ])('is not switched by %j', async (content) => {
    expect((await post(content)).status).toBe(400);
    expect(changes).toEqual([]);
  });

  test('is not switched by a long body', async () => {
    expect((await post({ name: 'storm', seconds: 30, more: 'x'.repeat(2_000) })).status).toBe(415);
  });
});
