import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as v from 'valibot';
import { parseTask, getTaskTurnRef } from '../../../shared/domain/index.ts';
import { loadRestPackage } from '../../../shared/platforms/discord/index.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { type WorkerConfig, systemTime } from '../../../shared/runtime/index.ts';
import { TurnIntake } from '../../../shared/storage/index.ts';
import { createTaskWorkerContext } from './task-worker.ts';
import { getDynamo } from '../dynamo.ts';

/** Lambda allows 10 s for the initialization of a function. */
const MAX_MS = 2_000;
/** The second question runs on the code that the first one loaded. More would wait for the rate limits. */
const QUESTIONS = 2;

/**
 * Answers two synthetic questions, so that code is loaded and compiled before the first real one: Lambda gives a whole
 * processor during initialization, and later a share of one. DynamoDB, Slack and the models are a server in this process; no
 * real address, credential or id is used, and nothing is logged or measured. Resolves with the number of answers, after at
 * most `maxMs`. Never rejects.
 */
export async function rehearse(config: WorkerConfig, maxMs = MAX_MS): Promise<number> {
  const table = new RehearsalTable();
  const server = createServer((request, response) => {
    answer(request, response, table).catch(() => response.destroy());
  });
  const answered = { count: 0 };
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') return 0;
    const late = new Promise<void>((resolve) => void setTimeout(resolve, maxMs).unref());
    await Promise.race([
      late,
      ask(rehearsalConfig(config, `http://127.0.0.1:${address.port}`), answered, maxMs),
    ]);
  } catch {
    // A failure only makes the first question slower.
  }
  server.close();
  server.closeAllConnections();
  return answered.count;
}

/** The configuration without addresses and credentials. */
const rehearsalConfig = (config: WorkerConfig, here: string): WorkerConfig => ({
  ...config,
  aws: {
    region: config.aws.region,
    credentials: { accessKeyId: 'rehearsal', secretAccessKey: 'rehearsal' },
    endpoints: { dynamodb: here, sqs: here, secretsmanager: here, kms: here, xray: here, s3: here },
  },
  logLevel: 'error',
  tracing: 'off',
  slackApiUrl: `${here}/slack/`,
  slackFilesHosts: [],
  discordApiUrl: `${here}/discord`,
  upstreamBaseUrl: `${here}/models`,
  upstreamVisionUrl: `${here}/models`,
  taskQueueUrl: `${here}/queue`,
  voiceQueueUrl: `${here}/queue`,
});

async function ask(config: WorkerConfig, answered: { count: number }, maxMs: number): Promise<void> {
  if (config.discordApplicationId !== '') await loadRestPackage();
  const context = { ...createTaskWorkerContext(config), metrics: () => undefined, log: () => undefined };
  const { conversationsTable, historyDays: days } = config;
  const { now } = systemTime;
  const intake = new TurnIntake({ dynamo: getDynamo(config), table: conversationsTable, days, now });
  for (let n = 1; n <= QUESTIONS; n += 1) {
    const body = createQuestion(`1700000000.00000${n}`, now());
    const task = parseTask(body);
    if (task?.kind !== 'ask') return;
    await intake.accept(getTaskTurnRef(task), task.question, []);
    const { kind } = await dispatchTask(body, context, {
      deadline: now() + maxMs,
      isRedelivery: false,
      isLast: true,
    });
    if (kind === 'done') answered.count = n;
  }
}

const createQuestion = (message: string, receivedAt: number): string =>
  JSON.stringify({
    v: 1,
    kind: 'ask',
    thread: { platform: 'slack', workspace: 'T0', channel: 'D0', root: message },
    message,
    asker: 'U0',
    askerWorkspace: 'T0',
    question: 'What is 1 + 1?',
    receivedAt,
  });

const SECRET = JSON.stringify({ apiKey: 'rehearsal', botToken: 'rehearsal', botUserId: 'U1' });
const AWS_ANSWER = JSON.stringify({ SecretString: SECRET, Items: [] });
const SLACK_ANSWER = JSON.stringify({
  ok: true,
  ts: '1700000000.000009',
  team_id: 'T0',
  user_id: 'U1',
  bot_id: 'B1',
  channel: 'D0',
  messages: [],
  user: { id: 'U0', team_id: 'T0', name: 'ada', tz: 'UTC', locale: 'en-US', profile: {} },
});
/** A text with every kind of markup. */
const WORDS =
  '**Two.** As a list:\n\n1. one\n2. `one`\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```js\n1 + 1;\n```\n'.split(
    /(?<= )/u,
  );

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  table: RehearsalTable,
): Promise<void> {
  const body: Buffer[] = [];
  for await (const part of request) if (Buffer.isBuffer(part)) body.push(part);
  const { url = '', headers } = request;
  if (url.endsWith('/chat/completions')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of WORDS) response.write(serializeChunk({ delta: { content }, finish_reason: null }));
    response.write(serializeChunk({ delta: {}, finish_reason: 'stop' }));
    response.end('data: [DONE]\n\n');
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (url.startsWith('/models')) response.end('{"object":"list","data":[]}');
  else if (url.startsWith('/slack')) response.end(SLACK_ANSWER);
  else response.end(table.answer(String(headers['x-amz-target']), Buffer.concat(body).toString('utf8')));
}

const serializeChunk = (choice: object): string =>
  `data: ${JSON.stringify({
    id: 'rehearsal',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'rehearsal',
    choices: [{ index: 0, ...choice }],
  })}\n\n`;

const Item = v.record(v.string(), v.unknown());
const Put = v.object({ Item });
const Update = v.object({
  Key: Item,
  UpdateExpression: v.string(),
  ExpressionAttributeNames: v.optional(v.record(v.string(), v.string()), {}),
  ExpressionAttributeValues: v.optional(Item, {}),
});
const ASSIGNMENT = /([#\w]+) = (?:if_not_exists\([#\w]+, )?(:\w+)/gu;

/** The part of DynamoDB that a question needs: writes succeed and reads find nothing. */
class RehearsalTable {
  readonly #items = new Map<string, object>();

  answer(target: string, body: string): string {
    if (target.endsWith('.UpdateItem')) return this.#update(body);
    if (target.endsWith('.PutItem')) {
      const { pk, sk } = v.parse(Put, JSON.parse(body)).Item;
      this.#items.set(JSON.stringify({ pk, sk }), v.parse(Put, JSON.parse(body)).Item);
    }
    return AWS_ANSWER;
  }

  #update(body: string): string {
    const input = v.parse(Update, JSON.parse(body));
    const { Key, ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
    const assigned = [...input.UpdateExpression.matchAll(ASSIGNMENT)].map(
      ([, name = '', value = '']): [string, unknown] => [names[name] ?? name, values[value]],
    );
    const key = JSON.stringify(Key);
    const item: object = { ...Key, ...this.#items.get(key), ...Object.fromEntries(assigned) };
    this.#items.set(key, item);
    return JSON.stringify({ Attributes: item });
  }
}
