import { join } from 'node:path';
import { startWatchdog } from '../../shared/task-queue/index.ts';

// A process that hangs or works: `node watchdog-child.ts hangs|works`.

const [, , what] = process.argv;
const TICK_MS = 20;
const TICKS = 10;

// The watchdog does not keep a process alive.
const alive = setInterval(() => undefined, 1_000);
await startWatchdog(join(import.meta.dirname, '../../shared/task-queue/watchdog-thread.ts'), {
  tickMs: TICK_MS,
  maxSilentTicks: TICKS,
});
if (what === 'hangs') for (;;);
// Longer than a process may hang, in short steps.
for (let n = 0; n < 10 * TICKS; n += 1) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
clearInterval(alive);
process.stdout.write('worked');
