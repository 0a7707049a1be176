import { createServer } from 'node:http';
import { createVideoCallback } from '../../functions/composition/video/video-callback.ts';
import { createSlackInstall } from '../../functions/composition/slack/slack-install.ts';
import { installState } from '../fakes/install-state.ts';
import { createSqsQueue } from '../../shared/aws/sqs-queue.ts';
import { fetchDynamo } from '../../shared/storage/dynamodb/fetch-client.ts';
import { Jobs, hashSecret } from '../../shared/storage/index.ts';
import type { Random } from '../faults/seeded-random.ts';
import { person, thread } from '../video/video-request.ts';
import { type EntryPoint, faultOf, type Try } from './entry-point.ts';
import type { Json } from './json.ts';
import { chance, mutated, oddText, oddValue, pick, randomBytes, upTo } from './mutate.ts';
import { strictAws } from './strict-aws.ts';

const NOW = 1_790_000_000_000;
const QUEUE = 'https://sqs.us-east-1.amazonaws.com/1/tasks.fifo';
const now = (): number => NOW;
const APP = { clientId: 'client', clientSecret: 'hush' };

let slack: Promise<string> | undefined;

/** A Slack server that accepts no code. Resolves with its URL; does not keep the process alive. */
async function slackThatRefuses(): Promise<string> {
  const server = createServer((_, response) => response.end('{"ok":false,"error":"invalid_code"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const at = server.address();
  return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}/api/`;
}

/** The two pages of an install as a browser may request them: with a valid, a foreign, an expired or no state. */
export const installEntry: EntryPoint = {
  name: 'install',
  share: 6,
  open: async (random): Promise<Try> => {
    slack ??= slackThatRefuses();
    const slackApiUrl = await slack;
    let saves = 0;
    const wrong: string[] = [];
    const handle = createSlackInstall({
      app: { load: async () => APP },
      slackApiUrl,
      installs: {
        save: async () => {
          saves += 1;
          return Promise.reject(new Error('nothing to keep'));
        },
      },
      now,
      log: () => undefined,
    });
    const [good, expired, foreign] = await states();
    return async () => {
      const event = visitFrom(random, { good, expired, foreign });
      const answer = await handle(event);
      if (saves > 0) wrong.push('an install without a code of Slack');
      const fault = faultOf(answer, undefined, 0);
      const text = JSON.stringify(answer);
      if (text.includes(APP.clientSecret)) wrong.push('the secret of the app is told');
      if (/<script|onerror=/iu.test(answer.body))
        wrong.push(`markup of a stranger in a page: ${answer.body}`);
      if (/[\r\n]/u.test(Object.values(answer.headers ?? {}).join(''))) wrong.push('a header of two lines');
      return wrong.splice(0)[0] ?? fault;
    };
  },
};

/** A valid state, one that is eleven minutes old, and one of another app. */
const states = () =>
  Promise.all([
    installState(APP.clientSecret, NOW),
    installState(APP.clientSecret, NOW - 11 * 60_000),
    installState('another', NOW),
  ]);

type States = Readonly<Record<'good' | 'expired' | 'foreign', string>>;

function visitFrom(random: Random, { good: valid, expired, foreign }: States): unknown {
  const good = chance(random, 0.8) ? valid : expired;
  const ours = chance(random, 0.3);
  const state = ours ? good : pick(random, [foreign, oddText(random, good), good.slice(1)]);
  const sentState = chance(random, 0.7) ? state : oddText(random, state);
  const page = chance(random, 0.3) ? 'GET /slack/install' : 'GET /slack/oauth_redirect';
  // A code causes a network request to Slack, so it is rare: the other inputs are faster.
  const query: Json = chance(random, 0.01)
    ? { state, code: oddText(random, 'code') }
    : { state, error: pick(random, ['access_denied', '<script>alert(1)</script>', oddText(random)]) };
  const event = {
    version: '2.0',
    routeKey: page,
    rawPath: '/slack/install',
    cookies: [`${pick(random, ['__Host-parley-install', 'parley-install'])}=${sentState}`, 'other=1'],
    queryStringParameters: query,
    requestContext: { domainName: chance(random, 0.9) ? 'api.example.com' : oddText(random, '127.0.0.1') },
  };
  return chance(random, 0.3) ? mutated(random, event) : event;
}

const SECRET = 'A'.repeat(43);

/** The callback URL of the vision service, with the secret of the job, of another job, or none. */
export const callbackEntry: EntryPoint = {
  name: 'callback',
  share: 8,
  open: async (random): Promise<Try> => {
    const harness = strictAws();
    const wrong: string[] = [];
    const jobs = new Jobs({ dynamo: fetchDynamo(harness.aws), table: 'conversations', days: 30, now });
    const job = await jobs.create('wish', {
      by: person,
      thread,
      state: 'submitted',
      requestMessage: thread.root,
      prompt: 'waves',
      model: 'model-a-video',
      picture: { id: 'F1', name: 'a.png', mimetype: 'image/png', bytes: 1 },
      key: 'key',
      secretHash: hashSecret(SECRET),
      due: NOW,
    });
    const log = (event: string, facts: object = {}): void =>
      void wrong.push(`${event} ${JSON.stringify(facts)}`);
    const handle = createVideoCallback({ jobs, queue: createSqsQueue(QUEUE, harness.aws), now, log });
    return async () => {
      const isKnown = chance(random, 0.3);
      const secret = isKnown ? SECRET : pick(random, [oddText(random, SECRET), 'B'.repeat(43), `${SECRET}=`]);
      const body = chance(random, 0.5)
        ? randomBytes(random, upTo(random, 300)).toString('latin1')
        : '{"status":"OK"}';
      const parts = { job: chance(random, 0.8) ? job.id : oddText(random, job.id), secret };
      const plain = { pathParameters: parts, headers: {}, body, isBase64Encoded: false };
      const event = chance(random, 0.3) ? { ...plain, pathParameters: oddValue(random, parts) } : plain;
      const before = harness.queued.length;
      const answer = await handle(event);
      if (!isKnown && secret !== SECRET && harness.queued.length > before)
        wrong.push('a task by a wrong secret');
      return harness.rejections.splice(0)[0] ?? wrong.splice(0)[0] ?? faultOf(answer, undefined, 0);
    };
  },
};
