import { parseArgs } from 'node:util';
import { mb } from './memory.ts';
import { soak } from './soak.ts';

const HELP = `npm run soak: people ask questions for half an hour of simulated time; every answer is checked, and the process must keep nothing of them

  --minutes N   minutes of simulated time in which people ask (default 30; they rest after each third of the questions)
  --rate N      questions a second (default 100); memory is compared only if there are 5,000 questions in the first third
  --seed N      seed of what people do (default 1)
  --changes     people edit and delete many questions, and the models allow hardly more requests than there are questions
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    changes: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

async function main(): Promise<number> {
  const startedAt = Date.now();
  const { stats, requests, wrong, rests } = await soak({
    minutes: Number(values.minutes),
    rate: Number(values.rate),
    seed: Number(values.seed),
    hasManyChanges: values.changes,
    onMinute: ({ heap, external, rss }, threads, minute) => {
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      console.log(
        `minute ${minute}: ${threads.stats.questions} asked, ${threads.open} threads open, heap ${mb(heap)} MB, outside ${mb(external)} MB, resident ${mb(rss)} MB, ${threads.wrong.length} wrong (${seconds} s)`,
      );
    },
  });
  for (const { questions, heap, external, rss } of rests)
    console.log(
      `at rest after ${questions} questions: heap ${mb(heap)} MB, outside ${mb(external)} MB, resident ${mb(rss)} MB`,
    );
  for (const fault of wrong.slice(0, 30)) console.log(fault);
  const { questions, startedThreads: threads, answered, merged, edited, deleted } = stats;
  console.log(
    `${questions} questions in ${threads} threads: ${answered} expected answers, ${merged} of them merged, ${edited} edited, ${deleted} deleted; ${requests} requests; ${wrong.length} wrong; ${Math.round((Date.now() - startedAt) / 1_000)} s, ${Math.round(process.cpuUsage().user / 1e6)} s of them on the processor`,
  );
  return wrong.length === 0 ? 0 : 1;
}

if (values.help) console.log(HELP);
else process.exit(await main());
