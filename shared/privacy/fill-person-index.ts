import type { Time, Log } from '../runtime/index.ts';
import type { FilledPage, PersonIndex, ScanLease } from '../storage/index.ts';

export type FillContext = {
  readonly personIndex: Pick<PersonIndex, 'isComplete' | 'state' | 'plan' | 'isQueryable' | 'save'> & {
    readonly fill: (from: string | undefined) => Promise<FilledPage>;
  };
  readonly scanLease: Pick<ScanLease, 'take' | 'release'>;
  readonly time: Time;
  readonly log: Log;
};

/** After this time no function of the previous version runs, which writes no pointers: see `RECORDINGS.workerSeconds`. */
const START_DELAY_MS = 20 * 60_000;
/** The duration of one run; there is one per minute. */
const RUN_DURATION_MS = 15_000;
const HOLDER = 'person-index';

/**
 * Writes the pointers of items that are older than the person index, once per table. Starts 20 minutes after the deployment
 * and continues every minute from the saved cursor. Reads at most 50 units a second, for 15 s per minute. Waits while
 * another task scans the table.
 */
export async function fillPersonIndex({ personIndex, scanLease, time, log }: FillContext): Promise<void> {
  if (await personIndex.isComplete()) return;
  const state = await personIndex.state();
  if (state.kind === 'absent') {
    const startAtMs = time.now() + START_DELAY_MS;
    await personIndex.plan(startAtMs);
    log('person-index.planned', { afterMs: START_DELAY_MS });
  }
  if (state.kind !== 'filling') return;
  if (!(await personIndex.isQueryable())) return log('person-index.building');
  if (!(await scanLease.take(HOLDER))) return log('person-index.waiting');
  const end = time.now() + RUN_DURATION_MS;
  let { from, read } = state;
  let written = 0;
  for (;;) {
    const page = await personIndex.fill(from);
    const isSaved = await personIndex.save(read, page.read, page.next);
    [from, read, written] = [page.next, read + page.read, written + page.written];
    if (!isSaved || from === undefined || time.now() + page.pauseMs >= end) break;
    await time.sleep(page.pauseMs);
    if (!(await scanLease.take(HOLDER))) break;
  }
  log(from === undefined ? 'person-index.completed' : 'person-index.filling', {
    count: read,
    entries: written,
  });
  await scanLease.release(HOLDER);
}
