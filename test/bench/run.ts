import { performance } from 'node:perf_hooks';
import { answerFiles } from './answer-files.ts';
import { calibrated } from './calibrated.ts';
import { capacity } from './capacity.ts';
import { cost } from './cost.ts';
import { firstWord } from './first-word.ts';
import { flood } from './flood.ts';
import { frontStart } from './front-start.ts';
import { knowledge } from './knowledge.ts';
import { latency } from './latency.ts';
import { limiter } from './limiter.ts';
import { media } from './media.ts';
import { memory } from './memory.ts';
import { peers } from './peers/suite.ts';
import { relay } from './relay.ts';
import { isMet, type Row, table } from './report-table.ts';
import { sharing } from './sharing.ts';
import { showing } from './showing.ts';
import { sse } from './sse.ts';
import { start } from './start.ts';
import { voice } from './voice.ts';
import { worker } from './worker.ts';

/** Every suite measures one thing; `npm run bench -- NAME ...` runs some of them. */
const SUITES: Readonly<Record<string, () => Promise<Row[]>>> = {
  front: frontStart,
  'answer-files': answerFiles,
  calibrated,
  capacity,
  cost,
  flood,
  knowledge,
  latency,
  limiter,
  media,
  memory,
  peers,
  relay,
  'first-word': firstWord,
  sharing,
  showing,
  sse,
  start,
  voice,
  worker,
};

/** Its figures do not depend on the machine and its load, so a missed limit is an error: the command ends with 1. */
const RELIABLE_SUITE = 'calibrated';

const args = process.argv.slice(2);
const unknown = args.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}.`);
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, suite] of Object.entries(SUITES)) {
  if (args.length > 0 && !args.includes(name)) continue;
  const begin = performance.now();
  const measured = await suite();
  if (name === RELIABLE_SUITE && !measured.every(isMet)) process.exitCode = 1;
  rows.push(...measured);
  console.error(`${name}: measured in ${Math.round((performance.now() - begin) / 1000)} s`);
}
console.log(table(rows));
