import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { awsServer } from '../runtime/aws.ts';
import { mention, press, ROOT, SECRET, signed } from './slack.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const printed = v.object({ bytes: v.number(), answers: v.array(v.unknown()) });
const lastLine = (output: string): unknown => JSON.parse(output.split('\n').at(-1) ?? '');

/** The bundle in a process of its own, with a real HTTP server as AWS. */
async function run(endpoint: string, events: unknown[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bundle-child.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'key',
      AWS_ENDPOINT_URL: endpoint,
      CONVERSATIONS_TABLE: 'conversations',
      TASK_QUEUE_URL: `${endpoint}/1/tasks.fifo`,
      VOICE_QUEUE_URL: `${endpoint}/1/recordings.fifo`,
      SLACK_SIGNING_SECRET_ID: 'signing',
      SLACK_BOT_SECRET_ID: 'bot',
      SEAL_KEY_ID: 'seal',
    },
  });
  child.stdin.end(JSON.stringify(events));
  return v.parse(printed, lastLine(await text(child.stdout)));
}

test('the deployed bundle accepts events and clicks, rejects unsigned requests without a network request, and is small', async () => {
  const secret = { SecretString: JSON.stringify({ current: 'new', previous: SECRET }) };
  const server = await awsServer({ status: 200, body: JSON.stringify(secret) }, { status: 200, body: '{}' });
  closers.push(server.close);
  const endpoint = server.access.endpoints.sqs ?? '';
  const event = signed(mention({ text: '<@UBOT> Grüße' }), { at: Date.now() });
  const pressed = press({ value: { t: ROOT, m: ROOT, kind: 'regenerate' }, at: Date.now() });
  const { bytes, answers } = await run(endpoint, [{ headers: {}, body: '{}' }, event, pressed]);
  const response = { statusCode: 200, body: '' };
  expect(answers).toMatchObject([{ statusCode: 401 }, response, response]);
  expect(server.requests.map(({ headers }) => headers['x-amz-target'])).toEqual([
    'secretsmanager.GetSecretValue',
    'DynamoDB_20120810.PutItem',
    'AmazonSQS.SendMessage',
    'DynamoDB_20120810.GetItem',
  ]);
  expect(server.requests[2]?.body).toContain('Grüße');
  expect(bytes).toBeLessThanOrEqual(160 * 1024);
});
