import { expect, jest, test } from '@jest/globals';
import { rehearse } from '../../../../functions/composition/process/warm-up.ts';
import { readWorkerConfig } from '../../../../shared/runtime/config/config.ts';
import { awsServer } from '../../../runtime/aws.ts';

const config = readWorkerConfig({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'key',
  STAGE: 'dev',
  CONVERSATIONS_TABLE: 'c',
  TOKENS_TABLE: 't',
  TASK_QUEUE_URL: 'https://sqs.example/1/q',
  VOICE_QUEUE_URL: 'https://sqs.example/1/v',
  DEAD_QUEUE: 'dead',
  ALONE_QUEUE: 'alone',
  MEDIA_BUCKET: 'm',
  MEDIA_SECRET_ID: 'arn:media',
  PUBLIC_URL: 'https://bot.example',
  SEAL_KEY_ID: 'key',
  SLACK_BOT_SECRET_ID: 'arn:bot',
  SLACK_OAUTH_SECRET_ID: 'arn:oauth',
  DISCORD_BOT_SECRET_ID: 'arn:discord',
  UPSTREAM_SECRET_ID: 'arn:upstream',
  UPSTREAM_BASE_URL: 'https://models.example',
  UPSTREAM_MODEL: 'm',
  SYSTEM_PROMPT: 'You are Parley.',
});

test('a starting worker rehearses two questions without any request or log line', async () => {
  const written = jest.spyOn(process.stdout, 'write');
  const { access, requests, close } = await awsServer({ status: 500, body: '' });
  const real = access.endpoints.dynamodb ?? '';
  try {
    const everywhere = {
      slackApiUrl: `${real}/`,
      discordApiUrl: real,
      upstreamBaseUrl: real,
      taskQueueUrl: real,
    };
    // However slow the machine is.
    await expect(rehearse({ ...config, ...everywhere, aws: access }, 15_000)).resolves.toBe(2);
    expect(requests).toEqual([]);
    expect(written).not.toHaveBeenCalled();
  } finally {
    written.mockRestore();
    close();
  }
});

test('a rehearsal that takes too long is abandoned', async () => {
  await expect(rehearse(config, 0)).resolves.toBe(0);
});
