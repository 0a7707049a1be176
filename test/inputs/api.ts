import { createApiFront, type ApiFrontDeps } from '../../functions/composition/api/api-front.ts';
import { createApiFrontDeps } from '../../functions/composition/api/api-front-deps.ts';
import { channelId, workspaceId } from '../../shared/domain/index.ts';
import { formatIntegrationKey } from '../../shared/integrations/index.ts';
import { readApiConfig } from '../../shared/runtime/config/config.ts';
import { fetchDynamo } from '../../shared/storage/dynamodb/fetch-client.ts';
import { Integrations } from '../../shared/storage/index.ts';
import type { Random } from '../faults/seeded-random.ts';
import { type EntryPoint, faultOf, type Try } from './entry-point.ts';
import { requestFrom, type Signatures } from './gateway.ts';
import type { Json } from './json.ts';
import { chance, oddText, pick } from './mutate.ts';
import { type StrictAws, strictAws } from './strict-aws.ts';

const PLACE = { platform: 'slack', workspace: workspaceId('T1') } as const;
const BOT = { id: '0123456789abcdef', name: 'deploy-bot', channels: [channelId('C1')] };
const KEY = formatIntegrationKey(PLACE, BOT.id, Buffer.alloc(24, 7));
const OTHER_WORKSPACE = { ...PLACE, workspace: workspaceId('T2') };

const bearer = (key: string) => () => ({ authorization: `Bearer ${key}`, 'idempotency-key': 'k1' });
/** The key stands in place of a signature. */
const KEYS: Signatures = {
  good: bearer(KEY),
  bad: [
    bearer(formatIntegrationKey(PLACE, BOT.id, Buffer.alloc(24, 8))),
    bearer(formatIntegrationKey(PLACE, 'f'.repeat(16), Buffer.alloc(24, 7))),
    bearer(formatIntegrationKey(OTHER_WORKSPACE, BOT.id, Buffer.alloc(24, 7))),
    bearer(KEY.slice(0, -1)),
    () => ({ authorization: `Basic ${Buffer.from(KEY).toString('base64')}` }),
    () => ({ authorization: '' }),
  ],
};

const BODIES: readonly [Json, ...Json[]] = [
  { question: 'Why is the sky blue?' },
  { question: 'Why?', model: 'model-b', wait: 120 },
  { question: 'And red?', conversation: '1790000000.000100' },
  { question: 'Is it up?', channel: 'C1', thread: '1790000000.000100' },
  { question: 'Is it up?', channel: 'C2' },
];
const STREAM: Json = { question: 'Why?', stream: true };

const CONFIG = readApiConfig({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'none',
  CONVERSATIONS_TABLE: 'conversations',
  TOKENS_TABLE: 'tokens',
  TASK_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/tasks.fifo',
});

/** The deployed function on strict tables, without its rate limit. Time passes while it waits, a minute each time: the streams of an input end soon. */
function depsOf({ aws }: StrictAws, wrong: string[]): ApiFrontDeps {
  let nowMs = 1_790_000_000_000;
  let nth = 0;
  const time = {
    now: () => nowMs,
    sleep: async () => {
      nowMs += 60_000;
    },
  };
  const clients = { aws, time, randomBytes: (count: number) => Buffer.alloc(count, (nth += 1)) };
  return {
    ...createApiFrontDeps(CONFIG, clients),
    takeRequest: async () => undefined,
    log: (event, facts = {}) => void wrong.push(`${event} ${JSON.stringify(facts)}`),
  };
}

/** The address and method of a request; most are those of `POST /v1/ask`. */
function targetOf(random: Random): Record<string, Json> {
  const id = `ask_${'0'.repeat(32)}`;
  const [method, path, query] = chance(random, 0.7)
    ? ['POST', '/v1/ask', '']
    : pick(random, [
        ['GET', `/v1/ask/${id}`, 'stream=true'],
        ['GET', `/v1/ask/${oddText(random, id)}`, oddText(random)],
        ['DELETE', '/v1/ask', ''],
        ['POST', oddText(random, '/v1/ask'), ''],
      ]);
  return { rawPath: path, rawQueryString: query, requestContext: { http: { method, path } } };
}

/** The API of integrations, with a valid key, a wrong one or none: at most one item is read before the key is known, and nothing is written. */
export const apiEntry: EntryPoint = {
  name: 'api',
  share: 6,
  open: async (random): Promise<Try> => {
    const harness = strictAws();
    const wrong: string[] = [];
    const deps = depsOf(harness, wrong);
    const dynamo = fetchDynamo(harness.aws);
    await new Integrations({ dynamo, table: 'conversations', now: deps.now }).add(PLACE, BOT, KEY, 'setup');
    const handle = createApiFront(deps);
    return async () => {
      const body = chance(random, 0.05) ? STREAM : pick(random, BODIES);
      const { event, signed } = requestFrom(random, body, 'application/json', KEYS);
      const isWhole =
        typeof event === 'object' && event !== null && 'rawPath' in event && event.rawPath === '/';
      const sent = isWhole ? { ...event, ...targetOf(random) } : event;
      // A key does not sign the body: with it, another body is welcome.
      const isOurs = signed === false && JSON.stringify(event)?.includes(KEY) ? undefined : signed;
      const before = writtenTo(harness);
      const { status, headers, body: parts } = await handle(sent);
      let text = '';
      for await (const part of parts) text += part;
      if (headers['content-type']?.startsWith('application/json')) JSON.parse(text);
      if (text.includes(KEY) || Object.values(headers).join('').includes(KEY)) wrong.push('the key is told');
      const effects = writtenTo(harness) === before ? 0 : 1;
      return (
        harness.rejections.splice(0)[0] ??
        wrong.splice(0)[0] ??
        faultOf({ statusCode: status }, isOurs, effects)
      );
    };
  },
};

/** What is stored and queued, as text. */
const writtenTo = ({ memory, queued }: StrictAws): string =>
  JSON.stringify([memory.items('conversations'), memory.items('tokens'), queued.length]);
