import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import * as v from 'valibot';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness, queuesAreEmpty } from '../journeys/harness.ts';
import { accessLog, ingestedBytes, invocationLog } from './log-bytes.ts';
import { inOwnProcess, MB_OF_A_PROCESSOR, processorMs } from './measured-process.ts';
import { ANSWER_MS } from './sharing.ts';

/**
 * Write units that requests do not show: the end of a turn of 2 KB takes two (`npm run bench -- capacity`), and the
 * person index takes one per turn.
 */
const UNCOUNTED_WRITES = 2;
const PACE_MS = 30;
/** The number of tokens that takes 15 s, at four characters each. */
const ANSWER = 'All of these words. '.repeat(Math.round((4 * ANSWER_MS) / PACE_MS / 20));
/**
 * The records of the relay, the budget accounts of a deployment that has budgets (three writes per answer), and the sweeper,
 * which the local system runs 15 s after its start.
 */
const NOT_COUNTED = /"S":"(?:(?:BOOKMARK|ACCOUNT)#|SCAN")|"IndexName":"open"/u;
/** The number of questions over which the fronts are measured. */
const QUESTIONS = 20;
const FRONT_MB = 512;
/**
 * The assumed time that the front waits per question for a write and a queued message: a few milliseconds each within
 * a region.
 */
const FRONT_WAITS_MS = 20;
/** Lambda's own initialization before the bundle runs. From published measurements; the rest is measured. */
const RUNTIME_START_MS = 60;
/** After this time a process has started, and has rehearsed. */
const STARTED_MS = 4_000;

/** Requests to the tables, in units. */
type TableUnits = { readonly writes: number; readonly reads: number };

/** The AWS requests of the deployed bundles for the answer to one question. */
export type AnswerCost = TableUnits & {
  /** The events that Slack posts. */
  readonly events: number;
  readonly sends: number;
  /** The units of a question that processes answer which have just started. */
  readonly cold: TableUnits;
  /** The secrets that each process reads, and again when the time of its cache is over. */
  readonly secrets: { readonly worker: number; readonly front: number };
  readonly memoryMb: { readonly worker: number; readonly front: number };
  /** The runtime of the front for all events of a question. */
  readonly frontSeconds: number;
  /** The start of a process with a whole processor. */
  readonly startSeconds: { readonly worker: number; readonly front: number };
  /** The bytes of the log lines of the functions and the API. */
  readonly logBytes: number;
  /** The bytes of Lambda's own lines for an invocation. */
  readonly invocationLogBytes: { readonly worker: number; readonly front: number };
};

/** The deployed bundles: the front and the worker in processes of their own. */
export async function measureAnswerCost(): Promise<AnswerCost> {
  const folder = dataFolder();
  const front = await inOwnProcess(join(folder.path, 'front'), { name: 'SlackEvents', memoryMb: FRONT_MB });
  const worker = await inOwnProcess(
    join(folder.path, 'worker'),
    { name: 'WorkerFunction', memoryMb: TASKS.workerMemoryMb },
    front.built,
  );
  const upstream = { paceMs: PACE_MS };
  const recorder = recordRequests();
  const journey = await startJourneyHarness(folder.path, {
    upstream,
    build: () => Promise.resolve(worker.built),
  });
  try {
    await journey.system.emulator.warm();
    await after(STARTED_MS);
    const startOf = (pid: string): number => (RUNTIME_START_MS + processorMs(pid)) / 1_000;
    const startSeconds = { worker: startOf(worker.pid()), front: startOf(front.pid()) };
    const started = recorder.take();
    await ask(journey, 'What is 1 + 1?');
    const first = recorder.take();
    const secretsOf = (name: string): number => {
      const reads = countRequests([...started, ...first], new RegExp(`GetSecretValue .*${name}`, 'u'));
      if (reads === 0) throw new Error(`Nothing has read the secret ${name}`);
      return reads;
    };
    const before = logOf(folder.path);
    // Another person: one who asks again within 12 s is checked for their fair share.
    await ask(journey, `[[sim:say=${ANSWER}]]`, 'grace');
    const calls = recorder.take();
    const units = tableUnits(calls);
    const log = logOf(folder.path);
    // What the first question reads and writes more: processes cache it for the next ones.
    await ask(journey, 'What is 1 + 1?');
    const [cold, warm] = [
      tableUnits([...started.filter(isOfWorkerStart), ...first]),
      tableUnits(recorder.take()),
    ];
    recorder.stop();
    const { template } = worker.built;
    const events = countRequests(calls, /^POST \/slack\/events/u);
    const memoryOf = (name: string): number =>
      journey.system.emulator.resources.functions.find(({ logicalId }) => logicalId.startsWith(name))
        ?.memoryMb ?? NaN;
    const memoryMb = { worker: memoryOf('Worker'), front: memoryOf('SlackEvents') };
    const begin = processorMs(front.pid());
    for (let n = 0; n < QUESTIONS; n += 1) await ask(journey, `What is ${n} + 1?`);
    const frontMs = (processorMs(front.pid()) - begin) / QUESTIONS;
    return {
      events,
      ...units,
      cold: {
        writes: units.writes + cold.writes - warm.writes,
        reads: units.reads + cold.reads - warm.reads,
      },
      secrets: {
        worker: secretsOf('SlackBot') + secretsOf('Upstream'),
        front: secretsOf('SlackSigning'),
      },
      sends: countRequests(calls, /AmazonSQS\.SendMessage/u),
      memoryMb,
      frontSeconds: ((frontMs * MB_OF_A_PROCESSOR) / memoryMb.front + FRONT_WAITS_MS) / 1_000,
      startSeconds,
      logBytes:
        ingestedBytes({ bytes: log.bytes - before.bytes, lines: log.lines - before.lines }) +
        events * ingestedBytes(accessLog(template)),
      invocationLogBytes: {
        worker: ingestedBytes(invocationLog(template, 'WorkerFunction')),
        front: ingestedBytes(invocationLog(template, 'SlackEvents')),
      },
    };
  } finally {
    recorder.stop();
    await journey.system.close();
    folder.remove();
  }
}

/** What a worker requests before its first question (`preload.ts`): a permit for the list of models, and the stored list. */
const isOfWorkerStart = (request: string): boolean => /"S":"(?:KEY#\w+#models|MODELS)"/u.test(request);

const countRequests = (requests: readonly string[], pattern: RegExp): number =>
  requests.filter((request) => pattern.test(request)).length;

const tableUnits = (requests: readonly string[]): TableUnits => ({
  writes: countRequests(requests, /DynamoDB_\d+\.(?:Put|Update|Delete)Item/u) + UNCOUNTED_WRITES,
  // Half a unit for eventually consistent reads, as most are.
  reads:
    countRequests(requests, /DynamoDB_\d+\.Query/u) / 2 + countRequests(requests, /DynamoDB_\d+\.GetItem/u),
});

/** Records all requests to the local system from now on: the target or the address, and the body. */
function recordRequests(): { readonly take: () => readonly string[]; readonly stop: () => void } {
  let requests: string[] = [];
  const record = (message: unknown): void => {
    const request = v.parse(
      v.fallback(v.optional(v.object({ request: v.instance(IncomingMessage) })), undefined),
      message,
    )?.request;
    const target = request?.headers['x-amz-target'] ?? `${request?.method} ${request?.url}`;
    const chunks: Buffer[] = [];
    request?.on('data', (chunk: Buffer) => chunks.push(chunk));
    request?.once('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (!NOT_COUNTED.test(body)) requests.push(`${String(target)} ${body}`);
    });
  };
  subscribe('http.server.request.start', record);
  return {
    take: () => {
      const recorded = requests;
      requests = [];
      return recorded;
    },
    stop: () => void unsubscribe('http.server.request.start', record),
  };
}

/** Asks in a direct message. Resolves when it is answered and all queues are empty. */
async function ask({ slack, system }: JourneyHarness, text: string, name = 'ada'): Promise<void> {
  const person = slack.core.identity.users.find((user) => user.name === name);
  const channel = person?.id.replace(/^U/u, 'D') ?? '';
  const thread = await slack.say(name, text, { channel });
  await slack.core.until(() => {
    const all = [...(slack.core.state.messages.get(channel)?.values() ?? [])];
    return all.find((one) => one.thread === thread && one.stream?.open === false);
  });
  await queuesAreEmpty(system);
}

function logOf(data: string): { readonly bytes: number; readonly lines: number } {
  const folder = join(data, 'logs');
  // Log lines of the local engine are not a function's.
  const files = readdirSync(folder).filter((file) => !file.startsWith('engine'));
  const words = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
  return { bytes: Buffer.byteLength(words), lines: words.split('\n').length - 1 };
}
