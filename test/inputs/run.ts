import { parseArgs } from 'node:util';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { ENTRY_POINTS } from './entry-points.ts';
import { BLOCK, type Finding, noteLost, runBlock } from './run-block.ts';

const HELP = `npm run inputs: sends invalid inputs to every entry point, in one process, through the deployed handlers

  --count N      number of inputs (default 100000)
  --seed S       seed of the inputs (default 1)
  --only NAMES   only these entry points: ${ENTRY_POINTS.map(({ name }) => name).join(', ')}
  --threads N    number of threads (default: one for each processor)
  --replay TEXT  repeat one input after the inputs before it in its block, as printed with a finding
`;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
    replay: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

/** A longer input counts as a hang. */
const LIMIT_MS = 1_000;
/** A thread without a message for this long hangs, however busy the machine is. */
const SILENT_MS = 30_000;
const SHOWN = 20;

async function replay(text: string): Promise<number> {
  const [name = '', seed = '1', block = '0', last = '0'] = text.split(':');
  const entry = ENTRY_POINTS.find((one) => one.name === name);
  if (!entry) throw new Error(`no such entry point: ${name}`);
  process.on('unhandledRejection', noteLost);
  const watch = { begin: () => undefined, limitMs: LIMIT_MS };
  const findings = await runBlock(entry, Number(seed), Number(block), watch, Number(last) + 1);
  const wrong = findings.filter((one) => one.replay === text);
  console.log(
    wrong.length === 0 ? 'Nothing is wrong with this input.' : wrong.map((one) => one.wrong).join('\n'),
  );
  return wrong.length;
}

type Task = { readonly entry: string; readonly block: number };

/** The blocks of all entry points, by their shares. */
function* tasks(): Generator<Task> {
  const names = values.only?.split(',');
  const entries = ENTRY_POINTS.filter(({ name }) => names?.includes(name) ?? true);
  const shares = entries.reduce((sum, { share }) => sum + share, 0);
  for (const { name: entry, share } of entries) {
    const blocks = Math.ceil((Number(values.count) * share) / shares / BLOCK);
    for (let block = 0; block < blocks; block += 1) yield { entry, block };
  }
}

const summarySchema = v.object({
  inputs: v.number(),
  findings: v.array(v.object({ replay: v.string(), wrong: v.string() })),
});

async function explore(): Promise<number> {
  const left = tasks();
  const began = performance.now();
  const counts = new Map<string, number>();
  const findings: Finding[] = [];
  await Promise.all(Array.from({ length: Number(values.threads) }, () => drain(left, counts, findings)));
  const seconds = Math.round((performance.now() - began) / 1_000);
  for (const [name, count] of counts) console.log(`${name}: ${count} inputs`);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${all} inputs in ${seconds} s, seed ${values.seed}: ${findings.length} wrong`);
  for (const { replay: text, wrong } of findings.slice(0, SHOWN))
    console.log(`\n${wrong}\nReplay: npm run inputs -- --replay ${text}`);
  return findings.length === 0 ? 0 : 1;
}

/** Runs blocks in a thread. A thread that hangs is terminated, and a new one continues with the next block. */
async function drain(left: Generator<Task>, counts: Map<string, number>, findings: Finding[]): Promise<void> {
  let thread = start();
  try {
    for (const task of left) {
      const ended = await thread.run(task);
      findings.push(...ended.findings);
      counts.set(task.entry, (counts.get(task.entry) ?? 0) + ended.inputs);
      if (ended.alive) continue;
      await thread.end();
      thread = start();
    }
  } finally {
    await thread.end();
  }
}

type Ended = { readonly inputs: number; readonly findings: Finding[]; readonly alive: boolean };

function start() {
  const at = new SharedArrayBuffer(8);
  const input = new Int32Array(at);
  const worker = new Worker(new URL('./input-thread.ts', import.meta.url), {
    workerData: { at, seed: Number(values.seed), limitMs: LIMIT_MS },
  });
  const died = ({ entry, block }: Task, why: string): Ended => {
    const inputs = Atomics.load(input, 0);
    return {
      inputs,
      findings: [{ replay: `${entry}:${values.seed}:${block}:${inputs}`, wrong: why }],
      alive: false,
    };
  };
  const run = (task: Task): Promise<Ended> =>
    new Promise((resolve) => {
      let beat = -1;
      const timer = setInterval(() => {
        const now = Atomics.load(input, 1);
        if (now === beat) finish(died(task, `it does not end within ${SILENT_MS / 1_000} s`));
        beat = now;
      }, SILENT_MS);
      const failed = (error: unknown): void =>
        finish(died(task, `the process ends: ${error instanceof Error ? error.stack : String(error)}`));
      const onMessage = (message: unknown): void =>
        finish({ ...v.parse(summarySchema, message), alive: true });
      const onExit = (code: number): void => finish(died(task, `the process ends with ${code}`));
      const finish = (ended: Ended): void => {
        clearInterval(timer);
        worker.off('error', failed).off('message', onMessage).off('exit', onExit);
        resolve(ended);
      };
      worker.on('error', failed).on('message', onMessage).on('exit', onExit);
      worker.postMessage(task);
    });
  return { run, end: () => worker.terminate() };
}

if (values.help) console.log(HELP);
else if (values.replay !== undefined) process.exitCode = await replay(values.replay);
else process.exitCode = await explore();
