import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { PROJECT } from '../../infra/cdk/bundle.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness, queuesAreEmpty } from '../journeys/harness.ts';
import { inOwnProcess, MB_OF_A_PROCESSOR, processorMs } from './measured-process.ts';
import { percentile, type Row } from './report-table.ts';
import { ANSWER_MS } from './sharing.ts';

const PACE_MS = 30;
/** The number of tokens that takes 15 s, at four characters each. */
const ANSWER = 'All of these words. '.repeat(Math.round((4 * ANSWER_MS) / PACE_MS / 20));
const QUESTIONS = 15;
/** One for each concurrent answer. */
const PEOPLE = Array.from({ length: TASKS.maxTasks }, (_, n) => ({
  id: `U0PERSON${String(n).padStart(2, '0')}`,
  name: `person${n}`,
  realName: `Person ${n}`,
}));
/** After so many rounds of concurrent answers the memory hardly grows any more. */
const ROUNDS = 5;
/** After this time the process has started, and has rehearsed. */
const STARTED_MS = 4_000;

/**
 * Lambda's memory figure for an empty Node function (75 to 80 MB), less that of such a process here. From published
 * measurements.
 */
const LAMBDA_MB = 28;
const WORKER = {
  name: 'WorkerFunction',
  memoryMb: TASKS.workerMemoryMb,
  tls: true,
} as const;
/**
 * The worker before it received tasks itself (commit 7dc085df), in the memory that it had. Its processor time until the first
 * word, measured in the same way in turn with this worker: 9.7, 11.4 and 10.9 ms, when this one needed 9.0, 9.2 and 9.0. The
 * smallest counts, although that was without TLS. Of a process that was just started, with TLS, on a busy machine: 361, 377 and
 * 390 ms, when this one needed 30 to 48. Half of the smallest counts, because a machine that is not busy takes less.
 */
const EARLIER = { memoryMb: 512, firstWordMs: 9.7, coldFirstWordMs: 180 } as const;

/**
 * The memory of the deployed worker with its maximum number of concurrent answers, and their processor time: Lambda
 * scales both together.
 */
export async function worker(): Promise<Row[]> {
  const folder = dataFolder();
  const { built, pid } = await inOwnProcess(join(folder.path, 'own-process'), WORKER);
  const upstream = { paceMs: PACE_MS, limitHeaders: 'none' } as const;
  const journey = await startJourneyHarness(folder.path, {
    upstream,
    slack: { identity: { users: PEOPLE } },
    build: () => Promise.resolve(built),
  });
  try {
    await journey.system.emulator.warm();
    await after(STARTED_MS);
    const started = { ms: processorMs(pid()), mb: peakMb(pid()) };
    const { cold, first } = await firstWords(journey, pid());
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begin = processorMs(pid());
      await Promise.all(PEOPLE.map((_, n) => answered(journey, n, `[[sim:say=${ANSWER}]] ${n}`)));
      rounds.push((processorMs(pid()) - begin) / TASKS.maxTasks);
      await queuesAreEmpty(journey.system);
    }
    const each = percentile(rounds, 0.5);
    const mb = peakMb(pid());
    const share = TASKS.workerMemoryMb / MB_OF_A_PROCESSOR;
    const used = (TASKS.maxTasks * each) / ANSWER_MS / share;
    const slower = laterMs(first, EARLIER.firstWordMs);
    const limit = TASKS.workerMemoryMb - LAMBDA_MB - TASKS.workerFilesMb;
    writeFloor({ mb, first, cold, used, slower, coldSlower: laterMs(cold, EARLIER.coldFirstWordMs) });
    const all = `${TASKS.maxTasks} answers of 15 s at once`;
    return [
      { what: `Worker, ${all}: most memory`, value: mb, unit: 'MB', limit },
      { what: `Worker, ${all}: processor time of each`, value: each, unit: 'ms' },
      { what: `Worker, ${all}: of its share of a processor`, value: 100 * used, unit: '%', limit: 100 },
      { what: 'Worker that was just started: memory', value: started.mb, unit: 'MB' },
      { what: 'Worker, processor time of its start', value: started.ms, unit: 'ms' },
      {
        what: 'Worker that was just started: processor time to the first word',
        value: cold,
        unit: 'ms',
        limit: 60,
      },
      {
        what: 'Worker that was just started: first word later than before it received tasks itself',
        value: laterMs(cold, EARLIER.coldFirstWordMs),
        unit: 'ms',
        limit: MAX_LATER_MS,
      },
      { what: 'Worker, processor time to the first word', value: first, unit: 'ms' },
      {
        what: `Worker, first word later than before it received tasks itself`,
        value: slower,
        unit: 'ms',
        limit: MAX_LATER_MS,
      },
    ];
  } finally {
    await journey.system.close();
    folder.remove();
  }
}

/** How much later the first word comes than before, if it takes this processor time now, and took `earlierMs`. Negative: sooner. */
const laterMs = (nowMs: number, earlierMs: number): number =>
  MB_OF_A_PROCESSOR * (nowMs / TASKS.workerMemoryMb - earlierMs / EARLIER.memoryMb);

const describeLater = (ms: number): string => `${Math.abs(ms).toFixed(0)} ms ${ms < 0 ? 'sooner' : 'later'}`;

const BEGIN = '<!-- Made by `npm run bench -- worker`. -->';
const END = '<!-- Until here: the worker. -->';
/** The allowed additional time to the first word compared with `EARLIER`. */
const MAX_LATER_MS = 100;

/**
 * Writes the reason for the worker's memory into docs/deploying.md. `used`: of its share of a processor; times in ms.
 */
function writeFloor(now: {
  readonly mb: number;
  readonly first: number;
  readonly cold: number;
  readonly used: number;
  readonly slower: number;
  readonly coldSlower: number;
}): void {
  const path = join(PROJECT, 'docs/deploying.md');
  const before = readFileSync(path, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${path} has no place for the worker`);
  const { workerMemoryMb, workerFilesMb, maxTasks } = TASKS;
  const mb = Math.ceil(now.mb + LAMBDA_MB + workerFilesMb);
  const earlierMs = (EARLIER.firstWordMs * MB_OF_A_PROCESSOR) / EARLIER.memoryMb;
  const needed = Math.ceil((now.first * MB_OF_A_PROCESSOR) / (earlierMs + MAX_LATER_MS));
  const lines = [
    `- Memory: the worker holds ${now.mb.toFixed(0)} MB with ${maxTasks} answers of 15 s at once; Lambda itself counts about ${LAMBDA_MB} MB, and files may take ${workerFilesMb} MB: ${mb} MB in all.`,
    `- This includes TLS to all services, with certificates as long as theirs.`,
    `- Processor: Lambda gives one vCPU to ${MB_OF_A_PROCESSOR.toLocaleString('en')} MB, and a proportional share to less. The worker needs ${now.first.toFixed(0)} ms of a vCPU until the first word. With ${workerMemoryMb} MB the first word comes ${now.slower.toFixed(0)} ms later than it did when Lambda handed tasks to workers of ${EARLIER.memoryMb} MB, which needed ${EARLIER.firstWordMs} ms. A delay of at most ${MAX_LATER_MS} ms needs ${needed} MB. ${maxTasks} answers at once use ${(100 * now.used).toFixed(0)}% of its share.`,
    `- A worker that was just started needs ${now.cold.toFixed(0)} ms of a vCPU until the first word, after its start with a whole vCPU: the first word comes ${describeLater(now.coldSlower)} than before (${EARLIER.coldFirstWordMs} ms).`,
  ];
  writeFileSync(path, `${before.slice(0, begin)}${BEGIN}\n\n${lines.join('\n')}\n\n${before.slice(end)}`);
}

/**
 * The processor time of the worker from a question to its first visible word (ms), in a direct message: of a new
 * worker, and the median of some later questions. Each is of another person than the 15 before: of a person who asks
 * again within 12 s the fair share is checked, which takes four more requests.
 */
async function firstWords(
  journey: JourneyHarness,
  pid: string,
): Promise<{ readonly cold: number; readonly first: number }> {
  const { core, botUserId } = journey.slack;
  const times: number[] = [];
  for (let n = 0; n < PEOPLE.length + QUESTIONS; n += 1) {
    const begin = processorMs(pid);
    await answered(journey, n % PEOPLE.length, `What is ${n} + 1?`, async (thread, channel) => {
      const messages = () => [...(core.state.messages.get(channel)?.values() ?? [])];
      await core.until(() =>
        messages().find((one) => one.thread === thread && one.user === botUserId && one.text !== ''),
      );
      times.push(processorMs(pid) - begin);
    });
    await after(550);
  }
  // In the first round each person is looked up.
  return { cold: times[0] ?? NaN, first: percentile(times.slice(PEOPLE.length), 0.5) };
}

/** Lets a person ask in a direct message. Resolves when the answer is complete. */
async function answered(
  { slack }: JourneyHarness,
  by: number,
  text: string,
  meanwhile?: (thread: string, channel: string) => Promise<void>,
): Promise<void> {
  const { id = '', name = '' } = PEOPLE[by] ?? {};
  const channel = id.replace(/^U/u, 'D');
  const thread = await slack.say(name, text, { channel });
  await meanwhile?.(thread, channel);
  await slack.core.until(() =>
    [...(slack.core.state.messages.get(channel)?.values() ?? [])].find(
      (one) => one.thread === thread && one.stream?.open === false,
    ),
  );
}

const peakMb = (pid: string): number =>
  Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
