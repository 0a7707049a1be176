import { createHmac } from 'node:crypto';
import { type SlackFrontDeps, slackFront } from '../../functions/front.ts';
import { type Thread, threadKey, type TurnRef } from '../../shared/conversation/index.ts';

export const SECRET = 'signing-secret';
export const NOW = 1_700_000_000_000;

/** What the front did to the world. */
export type Did = { accepted: TurnRef[]; sent: string[]; unsent: number; io: number; log: string[] };

/** The real front over ports in memory. `know` names threads that the bot takes part in; `fail` makes a port reject. */
export function front({
  fail,
  ...change
}: Partial<SlackFrontDeps> & { fail?: 'knows' | 'accept' | 'send' } = {}) {
  const did: Did = { accepted: [], sent: [], unsent: 0, io: 0, log: [] };
  const known = new Set<string>();
  const call = async (name: string): Promise<void> => {
    did.io += 1;
    await Promise.resolve();
    if (name === fail) throw new Error(`${name} failed with a secret in its words`);
  };
  const write = (event: string, facts = {}): void => void did.log.push(JSON.stringify({ event, ...facts }));
  const deps: SlackFrontDeps = {
    secrets: () => Promise.resolve([SECRET]),
    turns: {
      knows: async (thread: Thread) => {
        await call('knows');
        return known.has(threadKey(thread));
      },
      accept: async (turn) => {
        await call('accept');
        did.accepted.push(turn);
      },
      markUnsent: async () => {
        await call('markUnsent');
        did.unsent += 1;
      },
    },
    queue: {
      send: async (body) => {
        await call('send');
        did.sent.push(body);
      },
    },
    allowedBots: new Set(),
    now: () => NOW,
    log: { debug: write, info: write, warn: write, error: write },
    ...change,
  };
  return { did, known, handle: slackFront(deps) };
}

type Request = {
  type?: string;
  secret?: string;
  base64?: boolean;
  at?: number;
  headers?: Record<string, string>;
};

/** An event of API Gateway with a body that is signed as Slack signs. */
export function signed(body: string | Buffer | object, request: Request = {}) {
  const { type = 'application/json', secret = SECRET, base64 = false, at = NOW, headers = {} } = request;
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest('hex');
  return {
    version: '2.0',
    rawPath: '/slack/events',
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
      ...headers,
    },
    body: bytes.toString(base64 ? 'base64' : 'utf8'),
    isBase64Encoded: base64,
  };
}

/** A mention of the bot `UBOT`, as Slack sends it. */
export function mention(event: Record<string, unknown> = {}, outer: Record<string, unknown> = {}) {
  return {
    type: 'event_callback',
    team_id: 'T1',
    api_app_id: 'A1',
    event_id: 'Ev1',
    authorizations: [
      { team_id: 'T1', user_id: 'UBOT', is_bot: true, is_enterprise_install: false, enterprise_id: null },
    ],
    event: {
      type: 'app_mention',
      user: 'U1',
      team: 'T1',
      channel: 'C1',
      ts: '1700000000.000100',
      text: '<@UBOT> hello',
      ...event,
    },
    ...outer,
  };
}
