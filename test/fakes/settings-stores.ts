import type { WorkerContext } from '../../shared/worker/index.ts';
import {
  FormDrafts,
  ErasureMoments,
  Facts,
  Ratings,
  Presets,
  Schedules,
  SettingsStore,
  type TurnsConfig,
} from '../../shared/storage/index.ts';
import { validateJson } from '../../shared/upstream/index.ts';

/** What people set, saved and had filled in, in this table. */
export const settingsStoresIn = (
  store: TurnsConfig,
): Pick<
  WorkerContext,
  'facts' | 'settingsStore' | 'presets' | 'drafts' | 'ratings' | 'schedules' | 'readAs' | 'erasureMoments'
> => ({
  facts: new Facts({ ...store, createId: countIds() }),
  settingsStore: new SettingsStore(store),
  presets: new Presets(store),
  drafts: new FormDrafts(store),
  ratings: new Ratings(store),
  schedules: new Schedules(store),
  erasureMoments: new ErasureMoments(store),
  readAs: validateJson,
});

/** Ids of facts: six hex digits. */
function countIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return count.toString(16).padStart(6, '0');
  };
}
