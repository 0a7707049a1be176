import { join } from 'node:path';
import * as v from 'valibot';
import {
  channelId,
  messageId,
  serializeTask,
  type Task,
  type Thread,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import { openJournal } from '../../../../infra/local/emulator/sqs/journal.ts';
import { Queues } from '../../../../infra/local/emulator/sqs/queues.ts';
import { createSqsOperations } from '../../../../infra/local/emulator/sqs/server.ts';
import type { LocalSystemAccess, SystemAccess } from '../../../../infra/parley/operator/open-system.ts';
import type { OperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import { openQueue } from '../../../../infra/parley/operator/queues.ts';
import { redrive, type RedriveOptions } from '../../../../infra/parley/redrive/redrive-command.ts';
import { scratch } from '../../local/sample-template.ts';

const DEAD = 'http://aws/0/Dead.fifo';
const TASKS = 'http://aws/0/Tasks.fifo';
const RECORDINGS = 'http://aws/0/Recordings.fifo';
export const TRACE = '1-5759e988-bd862e3fe1be46a994272793';
export const THREAD: Thread = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.000000'),
};

const serializeAsk = (message: string): string => {
  const ask: Task = {
    v: 1,
    kind: 'ask',
    thread: THREAD,
    message: messageId(message),
    asker: userId('U1'),
    askerWorkspace: workspaceId('T1'),
    question: 'a secret question',
    attachments: [],
    receivedAt: 0,
  };
  return serializeTask(ask);
};

/** The queues of a system in a folder. `now`: ms since 1970. */
function createQueues(directory: string, now: () => number): Queues {
  const { journal, records } = openJournal(join(directory, 'queues.jsonl'));
  const rules = ['Dead', 'Tasks', 'Recordings'].map((name) => ({
    name: `${name}.fifo`,
    visibilityMs: 30_000,
    retentionMs: 1e9,
    contentDedup: false,
    dedupScope: 'messageGroup' as const,
  }));
  let id = 0;
  return new Queues(
    rules,
    journal,
    records,
    now,
    () => `00000000-0000-${(id += 1)}`,
    () => undefined,
  );
}

type Run = {
  /** What the person answers; nobody is there by default. */
  readonly answer?: boolean | (() => boolean) | undefined;
  readonly of?: SystemAccess;
  /** Receives what is printed and reported. */
  readonly lines?: string[];
};

/** A system whose queues are in memory and in a folder, and the command on it. */
export function startRedriveSystem() {
  const folder = scratch();
  let later = 0;
  const now = (): number => Date.now() + later;
  const queues = createQueues(folder.directory, now);
  const operations = createSqsOperations(queues, (name) => `http://aws/0/${name}`);
  const system: LocalSystemAccess = {
    kind: 'local',
    name: 'the local system',
    outputs: { TasksDeadUrl: DEAD, TasksUrl: TASKS, RecordingsUrl: RECORDINGS, ConversationsTable: 'C' },
    call: async (_service, target, input) => operations[target]?.(input, new AbortController().signal),
    data: folder.directory,
    api: 'http://127.0.0.1:1',
    slackTeam: 'T1',
    logLevel: undefined,
    timeZone: undefined,
  };
  const sendDead = (body: string, group: string, dedup: string): Promise<void> =>
    openQueue(system.call, DEAD, `Root=${TRACE};Sampled=0`).send(body, group, dedup);
  return {
    directory: folder.directory,
    queues,
    system,
    now,
    /** Lets time pass (ms). */
    advance: (ms: number): void => void (later += ms),
    sendDead,
    addDeadLetter: (message: string, group = 'g') => sendDead(serializeAsk(message), group, message),
    bodies: (queue: string) => queues.receive(queue, 10).map(({ message }) => message),
    /** The system as a deployment. `receive` answers a request for messages in place of the queue. */
    deployed: (logs: OperatorCall, receive: (input: object) => unknown = () => undefined): SystemAccess => ({
      ...system,
      kind: 'deployment',
      stack: 'Parley',
      account: { region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
      async call(service, target, input) {
        if (service === 'logs') return logs(service, target, input);
        if (target !== 'AmazonSQS.ReceiveMessage') return system.call(service, target, input);
        // Nothing is sent meanwhile, so there is nothing to wait for.
        return receive(input) ?? system.call(service, target, { ...input, WaitTimeSeconds: 0 });
      },
    }),
    async run(
      ids: readonly string[],
      changes: Partial<RedriveOptions> = {},
      { answer, of = system, lines = [] }: Run = {},
    ) {
      const terminal = {
        print: (line: string) => void lines.push(line),
        report: (line: string) => void lines.push(line),
        hasColors: false,
        width: undefined,
        confirm:
          answer === undefined ? undefined : async () => (typeof answer === 'boolean' ? answer : answer()),
        env: {},
      };
      const options = {
        data: folder.directory,
        json: false,
        all: false,
        since: 1_000,
        yes: false,
        dryRun: false,
        wait: false,
        timeout: 1_000,
        ...changes,
      };
      const code = await redrive(of, ids, options, terminal, { now, wait: () => Promise.resolve() });
      return { code, output: lines.join('\n') };
    },
    close(): void {
      queues.close();
      folder.remove();
    },
  };
}

const bodySchema = v.object({ message: v.string() });

/** The question of a task. */
export const messageOf = ({ body }: { readonly body: string }): string =>
  v.parse(bodySchema, JSON.parse(body)).message;
