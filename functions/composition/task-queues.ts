import {
  type AwsCall,
  changeVisibilities,
  receiveMessages,
  deleteMessage,
  createSqsQueue,
} from '../../shared/aws/index.ts';
import {
  type TranscriberConfig,
  type WorkerConfig,
  TASKS,
  runInTrace,
  getTaskTrace,
  systemTime,
} from '../../shared/runtime/index.ts';
import { TaskAttempts } from '../../shared/storage/index.ts';
import {
  type AttemptDeps,
  serializeIsolated,
  type AttemptLimits,
  type WorkerDeps,
} from '../../shared/task-queue/index.ts';
import { getDynamo } from './dynamo.ts';
import { createLog } from './worker.ts';

type Rules = { readonly maxReceives: number; readonly maxWaitSeconds: number };
type Config = WorkerConfig | TranscriberConfig;

/** What is needed to handle messages of the queue at `url`, without the handler. */
export function createTaskQueue(
  url: string,
  rules: Rules,
  config: Config,
  aws: AwsCall,
): Omit<AttemptDeps, 'serve' | 'refuseLateWrites'> {
  const dead = createSqsQueue(new URL(config.deadLettersQueue, url).href, aws, getTaskTrace);
  const limits: AttemptLimits = {
    maxReceives: rules.maxReceives,
    maxWaitMs: 1_000 * rules.maxWaitSeconds,
  };
  return {
    queue: {
      hide: changeVisibilities(url, aws),
      deleteMessage: deleteMessage(url, aws),
      // The failure notice and the log of `dead-letters` belong to the trace of the task.
      sendToDeadLetters: ({ id, group, body, trace }) => runInTrace(trace, () => dead.send(body, group, id)),
    },
    attempts: new TaskAttempts({ dynamo: getDynamo(config), table: config.tokensTable, now: systemTime.now }),
    limits,
    time: systemTime,
    random: Math.random,
    log: createLog(config).warn,
  };
}

/** How a worker receives more tasks while it works, and moves tasks to the large worker. */
export function createTaskSharing(
  config: WorkerConfig,
  aws: AwsCall,
  receiveWaitSeconds: number = TASKS.receiveWaitSeconds,
): Pick<WorkerDeps, 'isolate' | 'refill'> & { readonly removeNote: (receipt: string) => Promise<void> } {
  const { taskQueueUrl, isolatedQueue } = config;
  const isolatedUrl = new URL(isolatedQueue, taskQueueUrl).href;
  const isolated = createSqsQueue(isolatedUrl, aws);
  const receive = receiveMessages(taskQueueUrl, aws);
  return {
    isolate: (message) => {
      // Each is its own group, so none waits for another whose process crashed.
      const note = `${message.id}-${message.receives}`;
      return isolated.send(serializeIsolated(message), note, note);
    },
    removeNote: deleteMessage(isolatedUrl, aws),
    refill: {
      receive: (max, hiddenSeconds) => receive(max, hiddenSeconds, receiveWaitSeconds),
      maxTasks: TASKS.maxTasks,
      maxMs: 1_000 * TASKS.refillSeconds,
    },
  };
}
