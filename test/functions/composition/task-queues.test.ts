import { afterEach, expect, test } from '@jest/globals';
import { createTaskQueue } from '../../../functions/composition/task-queues.ts';
import { createAwsClient } from '../../../functions/composition/worker.ts';
import { readWorkerConfig } from '../../../shared/runtime/config/config.ts';
import { TASKS } from '../../../shared/runtime/shared-names.ts';
import { awsServer } from '../../runtime/aws.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

test('a task that is given up goes once to the dead-letter queue of its own queue, in the group of its thread, with its trace', async () => {
  const { access, requests, close } = await awsServer({ status: 200, body: '{}' });
  closers.push(close);
  const config = readWorkerConfig({
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'key',
    AWS_ENDPOINT_URL_SQS: access.endpoints.sqs,
    CONVERSATIONS_TABLE: 'c',
    TOKENS_TABLE: 't',
    TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/Parley-Tasks.fifo',
    VOICE_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/v.fifo',
    DEAD_QUEUE: 'Parley-TasksDead.fifo',
    ALONE_QUEUE: 'Parley-TasksAlone.fifo',
    SLACK_BOT_SECRET_ID: 's',
    SLACK_OAUTH_SECRET_ID: 's',
    SEAL_KEY_ID: 's',
    DISCORD_BOT_SECRET_ID: 's',
    UPSTREAM_SECRET_ID: 's',
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
    UPSTREAM_MODEL: 'm',
    SYSTEM_PROMPT: 's',
    MEDIA_BUCKET: 'm',
    PUBLIC_URL: 'https://bot.example',
  });
  const { queue } = createTaskQueue(config.taskQueueUrl, TASKS, config, createAwsClient(config));
  const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
  await queue.sendToDeadLetters({
    id: 'id-1',
    group: 'thread',
    body: 'task',
    receipt: 'r',
    receives: 4,
    trace,
  });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    QueueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/Parley-TasksDead.fifo',
    MessageBody: 'task',
    MessageGroupId: 'thread',
    MessageDeduplicationId: 'id-1',
    MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
  });
});
