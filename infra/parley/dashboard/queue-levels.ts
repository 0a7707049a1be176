import type { QueueLevel } from '../../dashboard/index.ts';
import type { Outputs } from '../aws/deployment.ts';
import { countMessages } from '../operator/queues.ts';
import type { OperatorCall } from '../operator/operator-call.ts';

export type DeploymentQueue = {
  /** As the local system calls it. */
  readonly name: string;
  readonly url: string;
  /** Its name at AWS. */
  readonly queueName: string;
};

const NAMES = { Tasks: 'TasksUrl', Recordings: 'RecordingsUrl', TasksDead: 'TasksDeadUrl' } as const;

/** Returns the queues that the outputs name. */
export const listQueues = (outputs: Outputs): readonly DeploymentQueue[] =>
  Object.entries(NAMES).flatMap(([name, output]) => {
    const url = outputs[output];
    return url === undefined ? [] : [{ name, url, queueName: url.slice(url.lastIndexOf('/') + 1) }];
  });

/** Counts the messages of each queue: one free request each, of a million per month. Rejects with AwsCallError. */
export const readQueueLevels = (
  call: OperatorCall,
  queues: readonly DeploymentQueue[],
): Promise<QueueLevel[]> =>
  Promise.all(
    queues.map(async ({ name, url }) => {
      const { visible, hidden } = await countMessages(call, url);
      return { name, waiting: visible, inFlight: hidden, oldestMs: undefined };
    }),
  );

/** Dead letters wait for nobody. */
export const countWaitingTasks = (levels: readonly QueueLevel[]): number =>
  levels
    .filter(({ name }) => name !== 'TasksDead')
    .reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0);
