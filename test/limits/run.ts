import { parseArgs } from 'node:util';
import { DAY_WINDOWS, rolling } from './day-windows.ts';
import { ledgers } from './ledgers.ts';
import { underLoad } from './load.ts';
import { checkTakes, SEEDED_BUGS, SPREAD_MS, optionsFor } from './token-takes.ts';

const HELP = `npm run limits: the rate limiter and the ledger in simulated time, on a table that is slow, loses writes and repeats them

  --takes N   permits to check (default 10000000)
  --spread N  ms that a request may take longer than another; the guard covers up to 900 (default 900)
  --hours N   simulated hours at three times the load (default 24)
  --only NAME takes, load, foreign, windows or ledger
`;

const { values } = parseArgs({
  options: {
    takes: { type: 'string', default: '10000000' },
    spread: { type: 'string', default: String(SPREAD_MS) },
    hours: { type: 'string', default: '24' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const PER_WORLD = 20_000;
let failed = 0;

function report(what: string, good: boolean): void {
  console.log(`${good ? 'ok  ' : 'FAIL'} ${what}`);
  if (!good) failed += 1;
}

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  async takes() {
    const total = { takes: 0, granted: 0, excess: -Infinity, wrong: 0, writes: 0, used: 1 };
    for (let seed = 1; total.takes < Number(values.takes); seed += 1) {
      const one = await checkTakes(seed, Math.min(PER_WORLD, Number(values.takes) - total.takes), {
        spreadMs: Number(values.spread),
      });
      total.takes += one.takes;
      total.granted += one.granted;
      total.wrong += one.wrong;
      total.excess = Math.max(total.excess, one.excess);
      total.writes = Math.max(total.writes, one.writes);
      total.used = Math.min(total.used, one.used);
    }
    const { takes, granted, excess, wrong, writes, used } = total;
    const facts = `${takes} takes, ${granted} granted: worst window ${excess.toFixed(4)} beyond burst plus refill, ${wrong} wrong refusals, at most ${writes} writes a take, at least ${used.toFixed(3)} used`;
    report(facts, excess <= 0 && wrong === 0 && writes <= 2 && used >= 0.98);
    let exact = -Infinity;
    for (let seed = 1; seed <= 20; seed += 1) {
      exact = Math.max(exact, (await checkTakes(seed, PER_WORLD / 4, { exact: true })).excess);
    }
    report(`exact rule without delays: worst window ${exact.toFixed(4)} beyond`, exact <= 0);
    for (const mutant of SEEDED_BUGS) {
      let caught = 0;
      for (let seed = 1; seed <= 6; seed += 1) {
        const one = await checkTakes(seed, 3_000, optionsFor(mutant));
        if (one.excess > 0 || one.wrong > 0 || one.writes > 2) caught = seed;
        if (caught > 0) break;
      }
      report(
        `seeded bug "${mutant}": ${caught > 0 ? `detected by seed ${caught}` : 'NOT DETECTED'}`,
        caught > 0,
      );
    }
  },
  async load() {
    const hours = Number(values.hours);
    const one = await underLoad({ seed: 1, hours, perMinute: 360, people: 50, greed: 5 });
    const facts = `${hours} h at three times the load, 50 people: ${one.sent} of ${one.requestCount} sent, ${one.rejections} rejected by the upstream, ${(one.used * 100).toFixed(2)} % used, Jain ${one.fairness.toFixed(4)}`;
    report(facts, one.rejections === 0 && one.used >= 0.98 && one.fairness >= 0.95);
  },
  async foreign() {
    const foreign = [30, 60, 10, 0, 45].map((perMinute, at) => ({ fromHour: (at + 1) * 0.5, perMinute }));
    for (const seed of [1, 2, 3]) {
      const load = { seed, hours: 3, perMinute: 360, people: 50, greed: 1, foreign };
      const { refusedByChange } = await underLoad(load);
      report(
        `requests of other users of the key: 0, 30, 60, 10, 0, 45 a minute: 429s ${refusedByChange.join(', ')}`,
        Math.max(...refusedByChange) <= 1,
      );
    }
  },
  async windows() {
    for (const [name, window] of Object.entries(DAY_WINDOWS)) {
      const { granted, maxInWindow } = await rolling(1, window, 200_000);
      report(
        `${name}: 200000 arrivals, ${granted} allowed, at most ${maxInWindow} in any 24 h`,
        maxInWindow <= window.requests,
      );
    }
  },
  async ledger() {
    const { calls, rejections, died, wrong, over } = await ledgers(1, 10_000);
    const facts = `${calls} requests on three budgets, ${rejections} refused, ${died} never ended: ${wrong.length} accounts wrong, ${over} beyond a budget`;
    report(facts, wrong.length === 0 && over === 0n);
    const { wrong: violations } = await ledgers(1, 500, 'no hold');
    report(
      `seeded bug "no hold": ${violations.length > 0 ? 'detected' : 'NOT DETECTED'}`,
      violations.length > 0,
    );
  },
};

if (values.help) console.log(HELP);
else {
  for (const [name, run] of Object.entries(CHECKS)) {
    if (values.only === undefined || values.only === name) await run();
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
