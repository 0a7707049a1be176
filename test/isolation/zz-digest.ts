import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { runOperations } from './run-operations.ts';
const [, , out = '', from = '500', n = '60'] = process.argv;
writeFileSync(out, '');
let cpu = 0;
for (let seed = Number(from); seed < Number(from) + Number(n); seed++) {
  const u = process.cpuUsage();
  const r = await runOperations(seed);
  const v = process.cpuUsage(u);
  cpu += v.user + v.system;
  const h = createHash('sha256')
    .update(
      JSON.stringify([
        r.operations,
        r.checks,
        r.violations,
        r.trace.map((l) => l.replace(/ (video )?(press|reply) forged:/, ' forged:')),
        r.failures.map((f) => f.split('\n')[0]),
      ]),
    )
    .digest('hex')
    .slice(0, 16);
  appendFileSync(out, `${seed} ${r.operations} ${r.checks} ${r.violations.length} ${h}\n`);
}
console.log('cpu ms', (cpu / 1000).toFixed(0));
