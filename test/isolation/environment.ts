import { readApiConfig, readWorkerConfig } from '../../shared/runtime/config/config.ts';

/** The environment variables of the functions. */
export const ENV = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'none',
  LOG_LEVEL: 'error',
  CONVERSATIONS_TABLE: 'conversations',
  TOKENS_TABLE: 'tokens',
  TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/tasks.fifo',
  VOICE_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/voice.fifo',
  SLACK_SIGNING_SECRET_ID: 'slack-signing',
  SLACK_BOT_SECRET_ID: 'slack-bot',
  SLACK_OAUTH_SECRET_ID: 'slack-oauth',
  SEAL_KEY_ID: 'seal',
  DEAD_QUEUE: 'dead.fifo',
  ALONE_QUEUE: 'alone.fifo',
  MEDIA_BUCKET: 'media',
  PUBLIC_URL: 'https://bot.example.com',
  DISCORD_BOT_SECRET_ID: 'discord-bot',
  UPSTREAM_SECRET_ID: 'upstream',
  UPSTREAM_BASE_URL: 'https://models.example.com',
  UPSTREAM_VISION_URL: 'https://vision.example.com',
  VIDEO_MODELS: 'model-a-video:image_url:0.0001',
  UPSTREAM_MODEL: 'model-a',
  OTHER_MODELS: 'model-b',
  FOLLOW_UP_MODEL: 'model-a',
  SYSTEM_PROMPT: 'You are Parley.',
  ACCOUNTS: 'on',
} as const;

const configs = new Map<string, ReturnType<typeof readWorkerConfig>>();

/** The configuration of the worker, parsed once because simulations build thousands of processes. */
export function configOf(applicationId: string): ReturnType<typeof readWorkerConfig> {
  const config =
    configs.get(applicationId) ?? readWorkerConfig({ ...ENV, DISCORD_APPLICATION_ID: applicationId });
  configs.set(applicationId, config);
  return config;
}

/** The configuration of the API. */
export const API_CONFIG = readApiConfig(ENV);

/** Instead of random bytes: others for each call. */
export function countBytes(): (count: number) => Uint8Array {
  let calls = 0;
  return (count) => {
    const bytes = Buffer.alloc(count);
    bytes.writeUInt16BE((calls += 1));
    return bytes;
  };
}
