import type { Emulator } from '../emulator.ts';
import type { TemplateResources } from '../template/resource-types.ts';
import type { Fault } from './fault-switches.ts';

/** Recovery takes up to 23 s: kills that come faster would hit only the same task again and again. */
const KILL_INTERVAL_MS = 15_000;
/** An answer has begun by then. */
const FIRST_KILL_MS = 1_000;
/** Below the time after which the functions give a request up. */
const TABLE_DELAY_MS = 700;

/**
 * Faults of the emulated functions and tables. `every` calls a function repeatedly, and returns a function that ends it. `onKill` is
 * called after a worker was killed.
 */
export function listMachineFaults(
  emulator: Pick<Emulator, 'killFunction' | 'setTableDelay'> & {
    readonly resources: Pick<TemplateResources, 'eventSources'>;
  },
  every: (firstMs: number, intervalMs: number, action: () => void) => () => void,
  onKill: () => void,
): Fault[] {
  const workers = emulator.resources.eventSources
    .filter(({ queue }) => /^Tasks(?!Dead|Alone)/u.test(queue))
    .map(({ functionId }) => functionId);
  return [
    {
      name: 'killed-worker',
      title: 'Killed worker',
      effect:
        'The worker is killed every 15 s. Another one takes its questions over within half a minute; a question that meets three kills is given up.',
      unavailable: workers.length > 0 ? undefined : 'No function of this system takes tasks.',
      begin: () =>
        every(FIRST_KILL_MS, KILL_INTERVAL_MS, () => {
          for (const worker of workers)
            void emulator.killFunction(worker).then((isKilled) => (isKilled ? onKill() : undefined));
        }),
    },
    {
      name: 'slow-tables',
      title: 'Slow tables',
      effect: `Each request to the tables takes ${TABLE_DELAY_MS} ms longer. Everything is slower; Slack may deliver events again.`,
      unavailable: undefined,
      begin: () => {
        emulator.setTableDelay(TABLE_DELAY_MS);
        return () => emulator.setTableDelay(0);
      },
    },
  ];
}
