import type { Deps } from '../../shared/flows/index.ts';
import {
  Drafts,
  ErasureMoments,
  Ratings,
  SavedTexts,
  SettingsStore,
  type TurnsConfig,
} from '../../shared/store/index.ts';
import { checkText } from '../../shared/upstream/index.ts';

/** What people set, saved and had filled in, in this table. */
export const keptIn = (
  store: TurnsConfig,
): Pick<Deps, 'choices' | 'saved' | 'drafts' | 'ratings' | 'readAs' | 'erasureMoments'> => ({
  choices: new SettingsStore(store),
  saved: new SavedTexts(store),
  drafts: new Drafts(store),
  ratings: new Ratings(store),
  erasureMoments: new ErasureMoments(store),
  readAs: checkText,
});
