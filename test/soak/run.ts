import { parseArgs } from 'node:util';
import { growing, mb, soak } from './soak.ts';

const HELP = `npm run soak: people ask questions for half an hour of simulated time; every answer is checked, and memory use must stay constant

  --minutes N   minutes of simulated time (default 30; memory is checked from minute seven on)
  --rate N      questions a second (default 100)
  --seed N      seed of what people do (default 1)
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h' },
  },
});

async function main(): Promise<number> {
  const startedAt = Date.now();
  const options = { minutes: Number(values.minutes), rate: Number(values.rate), seed: Number(values.seed) };
  const { stats, requests, wrong, samples } = await soak({
    ...options,
    onSample: ({ atMs, heap, external, rss }, threads) => {
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      console.log(
        `minute ${atMs / 60_000}: ${threads.stats.questions} asked, ${threads.open} threads open, heap ${mb(heap)} MB, outside ${mb(external)} MB, resident ${mb(rss)} MB, ${threads.wrong.length} wrong (${seconds} s)`,
      );
    },
  });
  const faults = [...wrong, ...growing(samples)];
  for (const fault of faults.slice(0, 30)) console.log(fault);
  const { questions, startedThreads: threads, answered, merged, edited, deleted } = stats;
  console.log(
    `${questions} questions in ${threads} threads: ${answered} expected answers, ${merged} of them merged, ${edited} edited, ${deleted} deleted; ${requests} requests; ${faults.length} wrong; ${Math.round((Date.now() - startedAt) / 1_000)} s, ${Math.round(process.cpuUsage().user / 1e6)} s of them on the processor`,
  );
  return faults.length === 0 ? 0 : 1;
}

if (values.help) console.log(HELP);
else process.exit(await main());
