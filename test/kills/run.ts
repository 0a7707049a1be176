import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killInRounds } from './rounds.ts';

const HELP = `npm run kills: kills processes of npm start (SIGKILL) at random moments under load

  --kills N       number of kills (default 200)
  --seed S        seed of the kills and of what people do (default 1)
  --per-round N   kills per round; after each round everything must end (default 8)
  --within S      seconds that this may take after the last restart (default 60)
  --first N       the first round to run (default 0)
  --only A,B      only these actions of people and programs, such as schedule,forget
  --keep          keep the folder with all data and logs, as is done if anything is wrong

The same seed gives the same kills and the same people at the same moments. Times are real, so the effect of a kill depends on the machine.
`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'per-round': { type: 'string', default: '8' },
    within: { type: 'string', default: '60' },
    first: { type: 'string', default: '0' },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

/** A turn in doubt is reconciled two minutes later. */
const AFTERWARDS_MS = 150_000;

if (values.help) console.log(HELP);
else process.exit(await main());

async function main(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'kills-'));
  const { kills, expectations, accepted, slowestMs, answers, answeredAgain, startedAgain, wrong } =
    await killInRounds({
      directory,
      kills: Number(values.kills),
      seed: Number(values.seed),
      perRound: Number(values['per-round']),
      withinMs: Number(values.within) * 1_000,
      first: Number(values.first),
      only: values.only?.split(',') ?? [],
      afterwardsMs: AFTERWARDS_MS,
      say: console.log,
    });
  console.log(wrong.join('\n'));
  console.log(
    `${kills} kills, ${expectations} user actions with ${accepted} accepted requests: ${wrong.length} wrong; the slowest round ended ${(slowestMs / 1_000).toFixed(1)} s after its last restart`,
  );
  console.log(
    `${answers} model answers, ${answeredAgain} of them repeated because a kill came between the end of the answer and its storage`,
  );
  if (startedAgain > 0) {
    console.log(
      `${startedAgain} rounds ended after another start of the system only: on AWS their messages wait for the visibility timeout, see docs/delivery.md, "A process that dies before its first request"`,
    );
  }
  if (values.keep || wrong.length > 0) console.log(`All data is in ${directory}`);
  else rmSync(directory, { recursive: true, force: true });
  return wrong.length === 0 ? 0 : 1;
}
