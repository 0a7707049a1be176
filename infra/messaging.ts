import { CfnOutput, Duration } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { QueueProps } from 'aws-cdk-lib/aws-sqs';
import { ENV, RECORDINGS, TASKS } from '../shared/runtime/names.ts';
import type { Use } from './handler.ts';

/** How long `dead-letters` may take. */
export const DEAD_LETTERS_TIMEOUT = Duration.seconds(30);
/** One at a time: what killed the worker may kill `dead-letters` too, and harms no other message then. */
export const DEAD_LETTERS_BATCH_SIZE = 1;

/** The queues of tasks (FIFO, one group per thread) and of recordings, and the queue of those that failed too often. */
export class Messaging {
  readonly tasks: Queue;
  /** Recordings to be written out: chat never waits behind them. */
  readonly voice: Queue;
  readonly dead: Queue;

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
      visibilityTimeout: Duration.seconds(DEAD_LETTERS_TIMEOUT.toSeconds() * 6),
      retentionPeriod: Duration.days(14),
    });
    this.tasks = new Queue(stack, 'Tasks', {
      ...shared,
      visibilityTimeout: Duration.seconds(TASKS.visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.dead, maxReceiveCount: TASKS.maxReceives },
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

  /** Where the tasks of a function come from, so that it can say when to deliver one again, and give up what cannot be done. */
  useConsume(): Use[] {
    return [this.useMessages(ENV.taskQueueUrl, this.tasks), this.useGiveUp()];
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

  /** Delivers `queue` in batches; only the items that a function names as failed come back. */
  static source(queue: Queue, maxConcurrency: number, batchSize: number = TASKS.batchSize): SqsEventSource {
    return new SqsEventSource(queue, {
      batchSize,
      reportBatchItemFailures: true,
      maxConcurrency,
    });
  }
}
