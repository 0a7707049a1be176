import { expect, test } from '@jest/globals';
import { PARAMETERS } from '../../../../infra/cdk/parameters/parameter-list.ts';
import { readWorkerConfig } from '../../../../shared/runtime/config/config.ts';

const URL = 'http://127.0.0.1:8080';
/** What the stack sets besides the parameters. */
const RESOURCES = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  CONVERSATIONS_TABLE: 'c',
  TOKENS_TABLE: 't',
  TASK_QUEUE_URL: URL,
  VOICE_QUEUE_URL: URL,
  DEAD_QUEUE: 'd.fifo',
  ALONE_QUEUE: 'a.fifo',
  MEDIA_BUCKET: 'm',
  PUBLIC_URL: 'https://bot.example',
  SLACK_BOT_SECRET_ID: 'bot',
  SLACK_OAUTH_SECRET_ID: 'oauth',
  DISCORD_BOT_SECRET_ID: 'discord',
  UPSTREAM_SECRET_ID: 'upstream',
  SEAL_KEY_ID: 'seal',
};

type Parameter = {
  readonly env: string;
  readonly default?: string | number;
  readonly type?: string;
  readonly allowedValues?: readonly string[];
  readonly allowedPattern?: string;
  readonly minLength?: number;
};

/** As CloudFormation checks the value of a parameter of the type String. */
function acceptsEmpty(parameter: Parameter): boolean {
  const { type = 'String', allowedValues, allowedPattern = '.*', minLength = 0 } = parameter;
  if (type !== 'String' || minLength > 0) return false;
  return allowedValues?.includes('') ?? new RegExp(`^(?:${allowedPattern})$`, 'u').test('');
}

test('a worker starts with every parameter empty that may be empty', () => {
  const parameters: readonly Parameter[] = Object.values(PARAMETERS);
  const values = parameters.map((parameter) => {
    const { env, default: normal = URL } = parameter;
    return [env, acceptsEmpty(parameter) ? '' : String(normal)] as const;
  });
  expect(values.filter(([, value]) => value === '').length).toBeGreaterThan(9);
  expect(() => readWorkerConfig({ ...RESOURCES, ...Object.fromEntries(values) })).not.toThrow();
});
