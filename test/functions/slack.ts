import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import { createHmac } from 'node:crypto';
import { type SlackFrontDeps, createSlackFront } from '../../functions/composition/slack/slack-front.ts';
import {
  channelId,
  messageId,
  parseTask,
  type Task,
  type Thread,
  threadKey,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { type Dynamo, TurnSignals, Turns, type TurnsConfig } from '../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';

export const SECRET = 'signing-secret';
export const NOW = 1_700_000_000_000;

type Call = keyof Dynamo | 'send';
export type Sent = { readonly body: string; readonly group: string; readonly dedup: string };

/** The effects of the front: what it sent and logged, and the number of its requests. */
export type FrontEffects = { sent: Sent[]; io: number; log: string[] };

type Options = Partial<SlackFrontDeps> & {
  /** The request that rejects. */
  readonly fail?: Call;
  /** Awaited before every request, so that a test decides their order. */
  readonly turnOf?: (name: string) => Promise<void>;
  readonly store?: MemoryDynamo;
};

/** The real front and the real storage rules with tables in memory. */
export function front({ fail, turnOf, store = createMemoryDynamo(), ...change }: Options = {}) {
  const effects: FrontEffects = { sent: [], io: 0, log: [] };
  const call = async <T>(name: Call, act: () => Promise<T>): Promise<T> => {
    effects.io += 1;
    await (turnOf ? turnOf(name) : Promise.resolve());
    if (name === fail) throw new Error(`${name} failed with a secret in its words`);
    return act();
  };
  const dynamo: Dynamo = {
    get: (input) => call('get', () => store.get(input)),
    put: (input) => call('put', () => store.put(input)),
    update: (input) => call('update', () => store.update(input)),
    delete: (input) => call('delete', () => store.delete(input)),
    query: (input) => call('query', () => store.query(input)),
  };
  const write = (event: string, facts = {}): void =>
    void effects.log.push(JSON.stringify({ event, ...facts }));
  const deps: SlackFrontDeps = {
    secrets: () => Promise.resolve([SECRET]),
    turns: new Turns(tables(dynamo)),
    signals: new TurnSignals(tables(dynamo)),
    queue: {
      send: (body, group, dedup) =>
        call('send', () => {
          effects.sent.push({ body, group, dedup });
          return Promise.resolve();
        }),
    },
    showMessage: EMPTY_QUEUE,
    ...BARE_INTAKE,
    now: () => NOW,
    log: { debug: write, info: write, warn: write, error: write },
    ...change,
  };
  return {
    effects,
    handle: createSlackFront(deps),
    /** The records by key. */
    records: () => store.items(TABLE),
    tasks: (): (Task | undefined)[] => effects.sent.map(({ body }) => parseTask(body)),
    /** Makes the bot part of the thread below `root`, as if it had been asked there. */
    takePart: (root: string, workspace = 'T1', channel = 'C1') =>
      new Turns(tables(store)).accept(
        {
          thread: threadOf(root, workspace, channel),
          message: messageId(root),
          asker: userId('U1'),
          askerWorkspace: workspaceId(workspace),
        },
        'asked before',
        [],
      ),
  };
}

const TABLE = 'conversations';

const tables = (dynamo: Dynamo): TurnsConfig => ({ dynamo, table: TABLE, days: 30, now: () => NOW });

export const threadOf = (root: string, workspace = 'T1', channel = 'C1'): Thread => ({
  platform: 'slack',
  workspace: workspaceId(workspace),
  channel: channelId(channel),
  root: messageId(root),
});

export const keyOf = (root: string, workspace = 'T1', channel = 'C1'): string =>
  threadKey(threadOf(root, workspace, channel));

type Request = {
  type?: string;
  secret?: string;
  base64?: boolean;
  at?: number;
  headers?: Record<string, string>;
};

/** An API Gateway event with a body signed as Slack signs. */
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

/** A click on a button in the thread `1690000000.000100`, as Slack sends it: a form with JSON. */
export function press(of: { value: unknown; id?: string; outer?: object; at?: number }) {
  const { value, id = 'parley:regenerate', outer = {}, at = NOW } = of;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const payload = {
    type: 'block_actions',
    user: { id: 'U1', username: 'ada', team_id: 'T1' },
    api_app_id: 'A1',
    container: { type: 'message', message_ts: '1690000001.000100', channel_id: 'C1', thread_ts: ROOT },
    team: { id: 'T1', domain: 'example' },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: 'C1', name: 'general' },
    response_url: 'https://hooks.slack.com/actions/T1/1/x',
    trigger_id: '1.2.x',
    actions: [{ type: 'button', action_id: id, block_id: 'b', value: text, action_ts: '1690000002.000100' }],
    ...outer,
  };
  return signed(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), { ...FORM, at });
}

export const ROOT = '1690000000.000100';
export const FORM = { type: 'application/x-www-form-urlencoded', base64: true };
