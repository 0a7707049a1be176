import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { useCompletionTokens } from '../../docs/examples/own-model-quirk.ts';
import { createChatServerAdapter } from '../../docs/examples/own-platform.ts';
import { createOrderTools } from '../../docs/examples/own-tool.ts';
import { type Extensions, noExtensions } from '../../functions/composition/index.ts';
import type { SettingValues } from '../../shared/settings/rules/index.ts';
import { type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../simulators/upstream/index.ts';
import { closeServer, listen } from '../../infra/local/listen.ts';
import { askWith } from './example-worker.ts';

const ADA = 'U0ADA00000';
let slack: SlackSimulator;
let upstream: UpstreamSimulator;

beforeAll(async () => {
  [slack, upstream] = await Promise.all([startSlackSimulator(), startUpstreamSimulator({ paceMs: 0 })]);
});
afterAll(async () => {
  await Promise.all([slack.close(), upstream.close()]);
});

/** Ada asks in Slack; the worker with these extensions answers. Resolves with the id of the question. */
async function ask(text: string, extensions: Partial<Extensions>, settings?: SettingValues): Promise<string> {
  const ts = await slack.say('ada', `@parley ${text}`);
  await askWith({
    extensions: { ...noExtensions, ...extensions },
    upstreamBaseUrl: upstream.baseUrl,
    upstreamKey: upstream.apiKey,
    model: 'model-a',
    slack,
    question: { text, ts, channel: slack.channel, asker: ADA },
    ...(settings && { settings }),
  });
  return ts;
}

/** The messages of the bot in a thread of Slack. */
const answersIn = (thread: string) =>
  [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
    (one) => one.thread === thread && one.user === slack.botUserId,
  );

type Received = { readonly method: string; readonly path: string; readonly body: unknown };

async function receive(request: IncomingMessage, received: Received[]): Promise<void> {
  const { method = '', url: path = '' } = request;
  const hasBody = method !== 'GET' && method !== 'DELETE';
  received.push({ method, path, body: hasBody ? await json(request) : undefined });
}

/** Runs with a server that responds with `answer`, and resolves with what it received. */
async function withServer(answer: unknown, run: (url: string) => Promise<unknown>): Promise<Received[]> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    void receive(request, received).finally(() =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    );
  });
  const port = await listen(server, '127.0.0.1', 0);
  try {
    await run(`http://127.0.0.1:${port}`);
  } finally {
    await closeServer(server, 0);
  }
  return received;
}

test('own-tool.ts: the model calls the tool where an administrator turned it on, and the answer has its result', async () => {
  let thread = '';
  const question = 'What is the order status of AB-1234? [[sim:tool=order_status]]';
  const received = await withServer({ state: 'shipped', arrives: 'Friday' }, async (url) => {
    const toolSources = [createOrderTools(url)];
    await ask(question, { toolSources });
    thread = await ask(question, { toolSources }, { tools: ['orders'] });
  });
  // Once: it is off by default.
  expect(received.map(({ path }) => path.replace(/[A-Z]{2}-\d+$/u, 'NUMBER'))).toEqual(['/orders/NUMBER']);
  expect(JSON.stringify(upstream.journal.at(-1)?.body)).toContain('It arrives on Friday.');
  expect(answersIn(thread)).toHaveLength(1);
});

test('own-platform.ts: a question is answered in the chat server, once, and nothing is posted in Slack', async () => {
  let thread = '';
  const received = await withServer({ id: '1700000000.000009' }, async (url) => {
    const platforms = { slack: createChatServerAdapter(url, 'token') };
    thread = await ask('[[sim:say=Hello from here.]]', { platforms });
  });
  expect(received).toContainEqual({
    method: 'POST',
    path: '/messages',
    body: { thread, key: `answer-${thread}`, text: 'Hello from here.' },
  });
  expect(received.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(answersIn(thread)).toEqual([]);
});

test('own-model-quirk.ts: requests for models of that server have its fields; others are as usual', async () => {
  const thread = await ask('[[sim:say=Yes.]]', {
    adaptBody: (body) => useCompletionTokens(body, 'house/large'),
  });
  const sent = upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body;
  expect(sent).toMatchObject({ model: 'model-a', max_completion_tokens: 4_096 });
  expect(sent).not.toHaveProperty('max_tokens');
  expect(answersIn(thread)).toHaveLength(1);
  expect(useCompletionTokens({ max_tokens: 5 }, 'model-a')).toEqual({ max_tokens: 5 });
});
