import { CfnOutput, Duration, Validations } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { QueueProps } from 'aws-cdk-lib/aws-sqs';
import { ENV, RECORDINGS, TASKS } from '../../shared/runtime/shared-names.ts';
import type { ContextOptions } from './context-options.ts';
import type { LambdaFunction, Use } from './lambda-function.ts';

/** How `dead-letters` takes messages: one at a time, so that what killed the worker, and may kill it too, harms no other. */
export const DEAD_LETTERS = { timeout: Duration.seconds(30), batchSize: 1 } as const;

type Consumers = Readonly<Record<'worker' | 'largeWorker' | 'transcriber' | 'deadLetters', LambdaFunction>>;
type Concurrency = Pick<ContextOptions, 'worker' | 'workerConcurrency' | 'recordingConcurrency'>;

/** At a time: it is to be seen to, not fast. */
const MAX_DEAD_LETTERS = 2;
/** How many tasks that may crash are done at a time, each by a worker that has no other. */
const MAX_ISOLATED = 10;

/** The queues of tasks (FIFO, one group per thread) and of recordings, and the queue of those that failed too often. */
export class Messaging {
  readonly tasks: Queue;
  /** Recordings to be written out: chat never waits behind them. */
  readonly voice: Queue;
  readonly dead: Queue;
  /** Where messages of `tasks` are that may have killed a worker: each is done by a worker that has no other. */
  readonly isolated: Queue;

  constructor(stack: Stack) {
    const shared: QueueProps = {
      fifo: true,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      contentBasedDeduplication: false,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    };
    this.dead = new Queue(stack, 'TasksDead', {
      ...shared,
      visibilityTimeout: Duration.seconds(DEAD_LETTERS.timeout.toSeconds() * 6),
      retentionPeriod: Duration.days(14),
    });
    this.tasks = new Queue(stack, 'Tasks', {
      ...shared,
      visibilityTimeout: Duration.seconds(TASKS.visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.dead, maxReceiveCount: TASKS.maxReceives },
    });
    this.isolated = new Queue(stack, 'TasksAlone', {
      ...shared,
      visibilityTimeout: Duration.seconds(TASKS.visibilitySeconds),
      retentionPeriod: Duration.hours(1),
    });
    Validations.of(this.isolated).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'It holds where tasks are, not tasks: what is lost of it comes again by the queue of tasks, within half a minute.',
    });
    this.voice = new Queue(stack, 'Recordings', {
      ...shared,
      visibilityTimeout: Duration.seconds(RECORDINGS.visibilitySeconds),
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: this.dead, maxReceiveCount: RECORDINGS.maxReceives },
    });
    new CfnOutput(stack, 'TasksUrl', { value: this.tasks.queueUrl });
    new CfnOutput(stack, 'RecordingsUrl', { value: this.voice.queueUrl });
    new CfnOutput(stack, 'TasksDeadUrl', { value: this.dead.queueUrl });
  }

  /** The right to put tasks on the queue. */
  useSend(): Use {
    return {
      env: { [ENV.taskQueueUrl]: this.tasks.queueUrl },
      allow: { actions: ['sqs:SendMessage'], resources: [this.tasks.queueArn] },
    };
  }

  /** The right to have a task that waits delivered at once, whose receipt the worker has written down: somebody stops, edits or deletes its question. */
  useShow(): Use {
    return { allow: { actions: ['sqs:ChangeMessageVisibility'], resources: [this.tasks.queueArn] } };
  }

  /** Where the tasks of a function come from, so that it can say when to deliver one again, and give up what cannot be done. */
  useConsume(): Use[] {
    return [
      this.useMessages(ENV.taskQueueUrl, this.tasks),
      // Without a delivery by Lambda, which grants them: a worker that lives on receives.
      { allow: { actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'], resources: [this.tasks.queueArn] } },
      this.useGiveUp(),
      this.useIsolated({ actions: ['sqs:SendMessage'], resources: [this.isolated.queueArn] }),
    ];
  }

  /** The same for whoever is told where a task is, and receives none. */
  useConsumeTold(): Use[] {
    const remove = { actions: ['sqs:DeleteMessage'], resources: [this.tasks.queueArn] };
    return [this.useMessages(ENV.taskQueueUrl, this.tasks), this.useGiveUp(), this.useIsolated(remove)];
  }

  private useIsolated(allow: NonNullable<Use['allow']>): Use {
    return { env: { [ENV.isolatedQueue]: this.isolated.queueName }, allow };
  }

  /** The right to put recordings on their queue. */
  useSendVoice(): Use {
    return {
      env: { [ENV.voiceQueueUrl]: this.voice.queueUrl },
      allow: { actions: ['sqs:SendMessage'], resources: [this.voice.queueArn] },
    };
  }

  /** The same of recordings. */
  useConsumeVoice(): Use[] {
    return [this.useMessages(ENV.voiceQueueUrl, this.voice), this.useGiveUp()];
  }

  private useMessages(name: string, queue: Queue): Use {
    return {
      env: { [name]: queue.queueUrl },
      allow: { actions: ['sqs:ChangeMessageVisibility'], resources: [queue.queueArn] },
    };
  }

  /** The right to put tasks that cannot be done on the queue of dead letters. */
  private useGiveUp(): Use {
    return {
      env: { [ENV.deadLettersQueue]: this.dead.queueName },
      allow: { actions: ['sqs:SendMessage'], resources: [this.dead.queueArn] },
    };
  }

  /** Delivers each queue to its function, but for one that a container receives from; what may crash or is large to workers of their own. */
  deliver({ worker, largeWorker, transcriber, deadLetters }: Consumers, choices: Concurrency): void {
    const { workerConcurrency, recordingConcurrency } = choices;
    if (choices.worker === 'lambda')
      worker.target.addEventSource(source(this.tasks, workerConcurrency, TASKS.batchSize));
    largeWorker.target.addEventSource(source(this.isolated, MAX_ISOLATED, 1));
    transcriber.target.addEventSource(source(this.voice, recordingConcurrency, RECORDINGS.batchSize));
    deadLetters.target.addEventSource(source(this.dead, MAX_DEAD_LETTERS, DEAD_LETTERS.batchSize));
  }
}

/** Delivers `queue` in batches; only the items that a function names as failed come back. */
function source(queue: Queue, maxConcurrency: number, batchSize: number): SqsEventSource {
  return new SqsEventSource(queue, { batchSize, reportBatchItemFailures: true, maxConcurrency });
}
