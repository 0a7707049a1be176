import { CfnOutput, Duration, Validations, type Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from 'aws-cdk-lib/aws-sqs';
import { ENV, RECORDINGS, TASKS } from '../../shared/runtime/index.ts';
import type { ContextOptions } from './context-options.ts';
import type { LambdaFunction, Use } from './lambda-function.ts';

/** `dead-letters` receives one message at a time, so that a message that crashes it does not affect others. */
export const DEAD_LETTERS = { timeout: Duration.seconds(30), batchSize: 1 } as const;

type Consumers = Readonly<Record<'worker' | 'largeWorker' | 'transcriber' | 'deadLetters', LambdaFunction>>;
type Concurrency = Pick<
  ContextOptions,
  'worker' | 'workerConcurrency' | 'recordingConcurrency' | 'largeConcurrency'
>;

/** Concurrent dead letters. They are rare and not urgent. */
const MAX_CONCURRENT_DEAD_LETTERS = 2;

/** The queues for tasks (FIFO, one group per thread), recordings, isolated tasks and dead letters. */
export class Messaging {
  readonly tasks: Queue;
  /** Recordings to transcribe; a separate queue, so that chat never waits for them. */
  readonly voice: Queue;
  readonly dead: Queue;
  /** References to tasks that may have crashed a worker; each runs alone in a worker. */
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
        'It holds references to tasks, not tasks: the task queue redelivers a lost one within half a minute.',
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

  /** Allows to enqueue tasks. */
  useSend(): Use {
    return {
      env: { [ENV.taskQueueUrl]: this.tasks.queueUrl },
      allow: { actions: ['sqs:SendMessage'], resources: [this.tasks.queueArn] },
    };
  }

  /** Allows to redeliver a waiting task at once, by its stored receipt handle, when its question is stopped, edited or deleted. */
  useRedeliver(): Use {
    return { allow: { actions: ['sqs:ChangeMessageVisibility'], resources: [this.tasks.queueArn] } };
  }

  /** Allows to receive tasks, to delay or redeliver them, and to move failed ones to the dead letters or isolation queue. */
  useConsume(): Use[] {
    return [
      this.useMessages(ENV.taskQueueUrl, this.tasks),
      // Lambda's event source has these permissions itself; the container needs them.
      { allow: { actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'], resources: [this.tasks.queueArn] } },
      this.useDeadLetters(),
      this.useIsolated({ actions: ['sqs:SendMessage'], resources: [this.isolated.queueArn] }),
    ];
  }

  /** The same for a worker that gets references to tasks instead of receiving them. */
  useConsumeByReference(): Use[] {
    const remove = { actions: ['sqs:DeleteMessage'], resources: [this.tasks.queueArn] };
    return [this.useMessages(ENV.taskQueueUrl, this.tasks), this.useDeadLetters(), this.useIsolated(remove)];
  }

  private useIsolated(allow: NonNullable<Use['allow']>): Use {
    return { env: { [ENV.isolatedQueue]: this.isolated.queueName }, allow };
  }

  /** Allows to enqueue recordings. */
  useSendVoice(): Use {
    return {
      env: { [ENV.voiceQueueUrl]: this.voice.queueUrl },
      allow: { actions: ['sqs:SendMessage'], resources: [this.voice.queueArn] },
    };
  }

  /** Like `useConsume`, for recordings. */
  useConsumeVoice(): Use[] {
    return [this.useMessages(ENV.voiceQueueUrl, this.voice), this.useDeadLetters()];
  }

  private useMessages(name: string, queue: Queue): Use {
    return {
      env: { [name]: queue.queueUrl },
      allow: { actions: ['sqs:ChangeMessageVisibility'], resources: [queue.queueArn] },
    };
  }

  /** Allows to move failed tasks to the dead letter queue. */
  private useDeadLetters(): Use {
    return {
      env: { [ENV.deadLettersQueue]: this.dead.queueName },
      allow: { actions: ['sqs:SendMessage'], resources: [this.dead.queueArn] },
    };
  }

  /** Connects the queues to their functions. Without the worker function, the container receives tasks itself. */
  connect({ worker, largeWorker, transcriber, deadLetters }: Consumers, options: Concurrency): void {
    const { workerConcurrency, recordingConcurrency, largeConcurrency } = options;
    if (options.worker === 'lambda')
      worker.target.addEventSource(createEventSource(this.tasks, workerConcurrency, TASKS.batchSize));
    largeWorker.target.addEventSource(createEventSource(this.isolated, largeConcurrency, 1));
    transcriber.target.addEventSource(
      createEventSource(this.voice, recordingConcurrency, RECORDINGS.batchSize),
    );
    deadLetters.target.addEventSource(
      createEventSource(this.dead, MAX_CONCURRENT_DEAD_LETTERS, DEAD_LETTERS.batchSize),
    );
  }
}

/** Creates an event source with partial batch responses: only failed items return to the queue. */
function createEventSource(queue: Queue, maxConcurrency: number, batchSize: number): SqsEventSource {
  return new SqsEventSource(queue, { batchSize, reportBatchItemFailures: true, maxConcurrency });
}
