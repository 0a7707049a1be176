import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOCAL_SECRET, REGION } from '../../infra/local/template/resource-names.ts';
import {
  channelId,
  integrationUser,
  messageId,
  serializeTask,
  workspaceId,
} from '../../shared/domain/index.ts';
import { ApiRequests, createSdkDynamo } from '../../shared/storage/index.ts';
import { readObject } from '../integrations/api-harness.ts';
import { answersIn, dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

const folder = dataFolder();
const received: Received[] = [];
const waiting: (() => void)[] = [];
const receiver = createServer((request, response) => void receive(request, response));
// A test that fails does not wait for it.
receiver.unref();
let journey: JourneyHarness;
let hooks: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  hooks = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  journey = await startJourneyHarness(folder.path, { variables: { TOOL_SERVER_ORIGINS: hooks } });
});
afterAll(async () => {
  receiver.close();
  await journey.system.close();
  folder.remove();
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  received.push({ headers: request.headers, body });
  response.writeHead(204).end();
  for (const wake of waiting.splice(0)) wake();
}

/** What Ada, an administrator, is shown by a command. */
async function typed(words: string): Promise<string> {
  const { slack } = journey;
  const ephemeral = () =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter((one) => one.ephemeralTo);
  const before = ephemeral().length;
  await slack.command('ada', `/parley ${words}`);
  const message = await slack.core.until(() => ephemeral()[before]);
  return JSON.stringify([message.text, message.blocks]);
}

const post = (key: string, body: object): Promise<Response> =>
  fetch(`${journey.system.local.api}/v1/ask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('an administrator adds an integration; it asks by a stream and in a channel, and gets signed webhooks; removed, it gets a 401', async () => {
  const { slack } = journey;
  const [key = ''] = /parley_s_\w+/u.exec(await typed('integrations add deploy-bot channels:#general')) ?? [];
  const [secret = ''] =
    /whsec_[\w+/=]+/u.exec(await typed(`integrations webhook deploy-bot url:${hooks}/in`)) ?? [];

  // A stream: more than one piece, which together are the answer.
  const streamed = await post(key, { question: 'What is a fjord?', stream: true });
  expect(streamed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = [...(await streamed.text()).matchAll(/^event: (\S+)\ndata: (.*)$/gmu)].map(
    ([, name, data = '']): { name: string | undefined; data: Record<string, unknown> } => ({
      name,
      data: readObject(data),
    }),
  );
  const last = events.at(-1);
  expect([events[0]?.name, last?.name]).toEqual(['answer.created', 'answer.completed']);
  const words = events.flatMap(({ name, data }) => (name === 'answer.delta' ? [String(data['delta'])] : []));
  expect(String(last?.data['answer'])).toContain(words.join(''));
  expect(last?.data).toMatchObject({ status: 'completed', channel: null });

  // In a channel: people see who asked what, and the answer in the thread.
  const response = await post(key, { question: 'Is the deploy healthy?', channel: slack.channel, wait: 60 });
  const answer = readObject(await response.text());
  expect([response.status, answer['status']]).toEqual([200, 'completed']);
  const thread = String(answer['thread']);
  const root = slack.core.state.messages.get(slack.channel)?.get(thread);
  expect(JSON.stringify(root?.blocks)).toMatch(
    /Is the deploy healthy\?.*deploy-bot asked this over the API/u,
  );
  const [reply] = await answersIn(slack, thread);
  expect(JSON.stringify([reply?.text, reply?.blocks])).toContain(String(answer['answer']).slice(0, 20));

  // Both answers were sent to the webhook, signed.
  while (received.length < 2) await new Promise<void>((resolve) => waiting.push(resolve));
  for (const { headers, body } of received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    expect(headers['webhook-signature']).toBe(`v1,${hmac.update(signed).digest('base64')}`);
  }
  const ids = [String(last?.data['id']), String(answer['id'])];
  for (const id of ids) expect(received.filter(({ body }) => body.includes(`"id":"${id}"`))).toHaveLength(1);

  await typed('integrations remove deploy-bot');
  expect((await post(key, { question: 'Still there?' })).status).toBe(401);
});

test('a question that was posted, and whose task was given up, has a failure notice in its thread', async () => {
  const { slack, system } = journey;
  const { dynamodb: endpoint, environment, queues, resources } = system.emulator;
  const channel = channelId(slack.channel);
  const message = messageId(await slack.say('ada', 'As if posted for deploy-bot'));
  const place = { platform: 'slack', workspace: workspaceId(slack.teamId) } as const;
  const credentials = { accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: LOCAL_SECRET };
  const requests = new ApiRequests({
    dynamo: createSdkDynamo({ region: REGION, credentials, endpoint }),
    table: resources.tables.find(({ name }) => name.startsWith('Conversations'))?.name ?? '',
    now: Date.now,
  });
  const request = { id: 'r1', integration: 'i1', bodyHash: 'h', at: Date.now(), channel };
  await requests.create(place, { ...request, turn: { root: message, message } });
  queues.send(resources.queues.find(({ name }) => name.startsWith('TasksDead'))?.name ?? '', {
    body: serializeTask({
      v: 1,
      kind: 'integration-ask',
      thread: { ...place, channel, root: message },
      message: messageId('r1'),
      asker: integrationUser({ id: 'i1' }),
      askerWorkspace: place.workspace,
      question: 'Is it healthy?',
      round: 2,
    }),
    group: 'r1',
    dedup: 'r1',
  });
  const [notice] = await answersIn(slack, message);
  expect(JSON.stringify(notice?.blocks)).toContain('I could not answer this');
});
