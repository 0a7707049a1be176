import type { Time } from '../runtime/time.ts';
import type { FilledPage, PersonIndex, ScanLease } from '../storage/index.ts';
import type { Log } from '../context/index.ts';

export type FillContext = {
  readonly personIndex: Pick<PersonIndex, 'isComplete' | 'state' | 'plan' | 'isQueryable' | 'save'> & {
    readonly fill: (from: string | undefined) => Promise<FilledPage>;
  };
  readonly scanLease: Pick<ScanLease, 'take' | 'release'>;
  readonly time: Time;
  readonly log: Log;
};

/** The longest that a function of the version before may still be running, and write no pointers: see `RECORDINGS.workerSeconds`. */
const OTHER_VERSION_MS = 20 * 60_000;
/** How long one run works on it; it runs once a minute. */
const RUN_MS = 15_000;
const HOLDER = 'person-index';

/**
 * Writes the pointers of what was there before the index of persons, once for each table: begins 20 minutes after it is deployed, goes
 * on each minute where it stopped, and reads at most 50 units a second for 15 s of that minute. It waits while somebody else reads the table through.
 */
export async function fillPersonIndex({ personIndex, scanLease, time, log }: FillContext): Promise<void> {
  if (await personIndex.isComplete()) return;
  const state = await personIndex.state();
  if (state.kind === 'absent') {
    const startAtMs = time.now() + OTHER_VERSION_MS;
    await personIndex.plan(startAtMs);
    log('person-index.planned', { afterMs: OTHER_VERSION_MS });
  }
  if (state.kind !== 'filling') return;
  if (!(await personIndex.isQueryable())) return log('person-index.building');
  if (!(await scanLease.take(HOLDER))) return log('person-index.waiting');
  const end = time.now() + RUN_MS;
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
