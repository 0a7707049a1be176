import { parseArgs } from 'node:util';
import { callbackFaults, underFault, wrongWith } from './callbacks.ts';
import { sendForgedCallbacks } from './forged-callbacks.ts';
import { runManyJobs } from './many-jobs.ts';

const HELP = `npm run videos: the real front and worker with the simulated video service, over HTTP, in simulated time

  --jobs N     jobs at once, while workers die and callbacks are lost or duplicated (default 1000)
  --deaths N   of 1,000 effects, how many kill the worker (default 20)
  --seed N     seed of the faults (default 1)
  --forged N   forged callbacks (default 100000)
  --only NAME  callbacks, many or forged
`;

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    deaths: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    forged: { type: 'string', default: '100000' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

let failed = 0;
function report(what: string, good: boolean): void {
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}`);
  if (!good) failed += 1;
}

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  async callbacks() {
    for (const fault of callbackFaults()) {
      const ended = await underFault(fault);
      const { state = 'nothing', submits, uploads, minutes } = ended;
      const facts = `${state} after ${minutes} min, ${submits} submitted, ${uploads} in the thread`;
      report(`callback ${fault.name}: ${facts}`, wrongWith(fault, ended) === undefined);
    }
  },
  async many() {
    const options = { jobs: Number(values.jobs), seed: Number(values.seed), deaths: Number(values.deaths) };
    const { delivered, lost, doubled, twice, submits, deaths, minutes } = await runManyJobs(options);
    const facts = `${delivered} delivered, ${lost} lost, ${doubled} doubled, ${twice} submitted twice of ${submits} by the service's meter; workers died ${deaths} times; ${minutes} min`;
    report(`${options.jobs} simultaneous jobs: ${facts}`, lost === 0 && doubled === 0 && twice === 0);
  },
  async forged() {
    const count = Number(values.forged);
    const { accepted, upstream, tasks, reads, trueOne } = await sendForgedCallbacks(count);
    const facts = `${accepted} accepted, ${tasks} tasks, ${upstream} requests to the service, ${reads} table reads`;
    report(`${count} forged callbacks: ${facts}`, accepted + upstream + tasks === 0 && trueOne);
  },
};

if (values.help) console.log(HELP);
else {
  for (const [name, run] of Object.entries(CHECKS)) {
    if (values.only === undefined || values.only === name) await run();
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
