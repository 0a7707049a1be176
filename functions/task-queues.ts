import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { TranscriberConfig, WorkerConfig } from '../shared/runtime/config.ts';
import { changeVisibilities, removeMessage, sqsQueue } from '../shared/runtime/queue.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { TaskAttempts } from '../shared/store/index.ts';
import type { Patience, WorkerDeps } from '../shared/task-queue/index.ts';
import { dynamoOf, logOf } from './wiring.ts';

type Rules = { readonly maxReceives: number; readonly maxWaitSeconds: number };
type Config = WorkerConfig | TranscriberConfig;

/** What it takes to work on the messages of the queue at `url`, beside the work itself. */
export function taskQueueOf(
  url: string,
  rules: Rules,
  config: Config,
  aws: AwsCall,
): Omit<WorkerDeps, 'serve'> {
  const dead = sqsQueue(new URL(config.deadLettersQueue, url).href, aws);
  const patience: Patience = {
    maxReceives: rules.maxReceives,
    maxWaitMs: 1_000 * rules.maxWaitSeconds,
  };
  return {
    queue: {
      hide: changeVisibilities(url, aws),
      remove: removeMessage(url, aws),
      bury: ({ id, group, body }) => dead.send(body, group, id),
    },
    attempts: new TaskAttempts({ dynamo: dynamoOf(config), table: config.tokensTable, now: systemTime.now }),
    patience,
    time: systemTime,
    random: Math.random,
    log: logOf(config).warn,
  };
}
